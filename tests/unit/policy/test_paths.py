from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.errors import RuleSyntaxError
from sayso.policy.paths import collapse, components, normalise
from sayso.policy.patterns.path import compile_table_path, compile_text_path
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, row, said

LINKED = FakeFacts(links={"/w/link": "/real", "/w/src/out": "/etc", "/alias": "/w"})


def table(path: str, pattern: str, effect_word: str = "deny") -> str:
    """The effect of one row with a path pattern on a read of the path."""
    return effect(call("read_file", path=path), table=[row(effect_word, "@fs_any", pattern)])


@pytest.mark.spec("POL-12")
@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("memory/*", ["memory", "memory/x", "memory/x/y"], ["memory-secrets/x", "a/memory/x"]),
        ("mem*", ["memory", "memory/x/y", "mem"], ["a/mem", "me"]),
        ("data/x-*/*", ["data/x-1", "data/x-1/y/z"], ["data/x/y", "data/z/x-1/y", "data"]),
        ("data/*/y", ["data/a/y"], ["data/a/b/y", "data/y", "data/a/y/z"]),
        ("a/**/y", ["a/y", "a/b/y", "a/b/c/y"], ["a", "b/y", "a/yy"]),
        ("**/y", ["y", "a/y", "/etc/y"], ["a/yy", "y/a"]),
        (
            "notes.txt",
            ["notes.txt", "./notes.txt", "b/../notes.txt"],
            ["notes.txt/x", "b/notes.txt"],
        ),
        ("/etc/*", ["/etc", "/etc/passwd"], ["etc/passwd", "/etcetera"]),
        ("~/x/*", ["~/x", "/home/u/x/y"], ["x/y"]),
        ("*", ["a", "/etc/passwd", "/"], []),
        ("**", ["a", "/etc/passwd", "/"], []),
        ("a/**b", ["a/b", "a/x/yb", "a/xb"], ["a", "ab"]),
        ("a**b/c", ["ab/c", "a/b/c", "ax/y/zb/c"], ["a/c", "b/c"]),
        ("[a]?/x", ["[a]?/x"], ["a/x", "a1/x"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("./src/./x", ["src/x"], []),
        (".", ["/w"], ["a"]),
        ("/", ["/"], ["/a", "a"]),
    ],
)
@pytest.mark.parametrize("word", ["allow", "deny"])
def test_patterns_of_the_table(
    pattern: str, inside: list[str], outside: list[str], word: str
) -> None:
    for path in inside:
        assert table(path, pattern, word) == word, path
    for path in outside:
        assert table(path, pattern, word) == "ask", path


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("src", ["src"], ["src/a", "a/src", "/src"]),
        ("src/**", ["src", "src/a/b"], ["a/src/b", "srcs"]),
        ("src/*", ["src/a"], ["src", "src/a/b"]),
        ("*.md", ["a.md", ".md"], ["docs/a.md", "a.mdx"]),
        ("**/*.md", ["a.md", "docs/x/a.md"], ["/etc/a.md"]),
        ("/etc/**", ["/etc", "/etc/a/b"], ["etc/a"]),
        ("**", ["a", "a/b"], ["/etc/a"]),
        ("/**", ["a", "/etc/a", "/"], []),
        ("~/**", ["~/a", "/home/u"], ["/home/us"]),
    ],
)
def test_an_allow_in_a_text_rule_is_anchored_and_exact(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    for path in inside:
        assert effect(call("read_file", path=path), f"allow path({pattern})") == "allow", path
    for path in outside:
        assert effect(call("read_file", path=path), f"allow path({pattern})") == "ask", path


@pytest.mark.spec("POL-13")
@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("src", ["src", "src/a/b", "x/src/a", "/src", "/etc/src/x"], ["srcs", "a/srcs/b"]),
        ("src/*", ["src/a", "src/a/b", "x/src/a"], ["src"]),
        (".env", [".env", "a/.env", ".env/x"], [".envs", "a.env"]),
        ("*.pem", ["a.pem", "/etc/ssl/a.pem", "a.pem/x"], ["a.pemx"]),
        ("/etc", ["/etc", "/etc/a"], ["etc", "x/etc"]),
        ("~/.ssh", ["~/.ssh/id", "/home/u/.ssh"], [".ssh/id"]),
        ("src/../lib", ["lib/a", "x/lib"], ["src/a"]),
        ("a/**/b", ["a/b", "x/a/y/z/b/c"], ["a/x", "b/a"]),
    ],
)
@pytest.mark.parametrize("word", ["deny", "ask"])
def test_a_deny_in_a_text_rule_floats_and_covers_all_below(
    pattern: str, inside: list[str], outside: list[str], word: str
) -> None:
    for path in inside:
        outcome = said(call("read_file", path=path), f"{word} path({pattern})")
        assert (outcome.effect, outcome.rule is not None) == (Effect.parse(word), True), path
    for path in outside:
        assert said(call("read_file", path=path), f"{word} path({pattern})").rule is None, path


@pytest.mark.spec("POL-12")
def test_an_allow_needs_the_path_as_written_and_where_it_leads() -> None:
    out = call("read_file", path="src/out/passwd")
    assert effect(out, "allow path(src/**)", facts=LINKED) == "ask"
    assert effect(out, "allow path(src/**)", "allow path(/etc/**)", facts=LINKED) == "ask"
    assert effect(out, "allow path(/**)", facts=LINKED) == "allow"
    assert effect(out, "allow path(/**)", "deny path(/etc)", facts=LINKED) == "deny"
    assert effect(out, "allow path(/**)", "deny path(src/out)", facts=LINKED) == "deny"


@pytest.mark.spec("POL-12")
def test_dots_are_taken_in_the_order_the_system_takes_them() -> None:
    # The system goes to /real first, so that `..` is `/` and not the workspace.
    climb = call("read_file", path="link/../key")
    outcome = said(climb, "allow path(/w/**)", facts=LINKED)
    assert outcome.effect is Effect.ASK
    assert outcome.target.resolved == "/key"
    assert effect(climb, "allow path(/**)", "deny path(/key)", facts=LINKED) == "deny"


@pytest.mark.spec("POL-12")
def test_dots_that_programs_take_in_two_orders_are_allowed_by_nothing() -> None:
    # A program that takes `..` away by the letter opens /w/evil, a link out of the workspace; the
    # system goes to /w/sub/evil.
    facts = FakeFacts(links={"/w/l": "/w/sub/deep", "/w/evil": "/etc"})
    climb = call("read_file", path="l/../evil/passwd")
    outcome = said(climb, "allow path(/w/**)", facts=facts)
    assert outcome.effect is Effect.ASK
    assert outcome.doubtful
    assert effect(climb, "allow path(/w/**)", "deny path(/etc)", facts=facts) == "deny"
    plain = call("read_file", path="sub/../sub/a")
    assert effect(plain, "allow path(/w/**)", facts=facts) == "allow"


@pytest.mark.spec("POL-12")
def test_links_are_followed_under_the_name_as_it_is_spelled() -> None:
    # To most file systems the two spellings are two files, and only one of them is the link.
    facts = FakeFacts(links={"/w/e\u0301": "/etc"})
    out = call("read_file", path="e\u0301/passwd")
    assert effect(out, "allow path(**)", facts=facts) == "ask"
    assert effect(out, "allow path(**)", "deny path(/etc)", facts=facts) == "deny"
    assert effect(call("read_file", path="\u00e9/passwd"), "allow path(**)", facts=facts) == "allow"


@pytest.mark.spec("POL-13")
def test_the_fixed_part_of_a_rule_is_resolved_when_it_is_loaded() -> None:
    assert effect(call("read_file", path="/w/a"), "allow path(/alias/**)", facts=LINKED) == "allow"
    assert effect(call("read_file", path="/w/a"), "deny path(/alias/a)", facts=LINKED) == "deny"
    assert (
        effect(call("read_file", path="link/x"), "allow path(/w/link/**)", facts=LINKED) == "allow"
    )


@pytest.mark.spec("POL-12")
def test_a_workspace_that_is_a_link_itself() -> None:
    there = call("read_file", path="src/a")
    facts = FakeFacts(links={"/w": "/disk/w"})
    assert effect(there, "allow path(src/**)", facts=facts) == "allow"
    assert effect(there, "allow path(/w/**)", facts=facts) == "allow"
    assert effect(there, "deny path(/disk)", facts=facts) == "deny"


@pytest.mark.spec("POL-12")
@pytest.mark.parametrize("ignores", [True, False, None])
def test_case_counts_as_the_file_system_says(ignores: bool | None) -> None:
    facts = FakeFacts(ignore_case=ignores)
    other = call("read_file", path="SRC/Key")
    assert effect(other, "deny path(src/key)", "allow path(/**)", facts=facts) == (
        "deny" if ignores else "ask"
    )
    assert effect(other, "allow path(src/**)", facts=facts) == ("allow" if ignores else "ask")
    assert (
        effect(call("read_file", path="sr\u0441/key"), "allow path(src/**)", facts=facts) == "ask"
    )


@pytest.mark.spec("POL-12")
def test_unicode_is_compared_in_one_normal_form() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert effect(call("read_file", path=decomposed), f"allow path({composed})") == "allow"
    assert effect(call("read_file", path=composed), f"deny path({decomposed})") == "deny"
    assert effect(call("read_file", path=f"{composed}-x"), f"deny path({decomposed}*)") == "deny"


@pytest.mark.parametrize(
    ("path", "denied"),
    [
        ("$HOME/.ssh/id", "/home/u/.ssh"),
        ("${HOME}/.ssh/id", "~/.ssh"),
        ("/proc/self/cwd/key", "/w/key"),
        ("/proc/1/root/etc/shadow", "/etc/shadow"),
        ("/proc/self/task/7/root/etc/shadow", "/etc/shadow"),
        ("a/%2e%2e/key", "key"),
        ("sec%2Fkey", "sec"),
        ("file:///etc/passwd", "/etc"),
        ("file:/etc/passwd", "/etc"),
        ("FILE://host/etc/passwd", "/etc"),
        ("a\u200b/../key", "key"),
        (" /etc/passwd", "/etc/passwd"),
        ("/etc/passwd  ", "/etc/passwd"),
    ],
)
def test_what_a_path_may_mean_is_tried_on_denies_and_never_on_allows(
    path: str, denied: str
) -> None:
    assert effect(call("read_file", path=path), f"deny path({denied})", "allow path(/**)") == "deny"
    outcome = said(call("read_file", path=path), f"allow path({denied})")
    assert outcome.effect is Effect.ASK


@pytest.mark.parametrize(
    "path",
    ["", "a\x00b", "a\nb", "a\tb", "a\u202eb", "a\u200bb", "/proc/self/environ", "/proc/7/fd/3",
     "/dev/fd/3", "/dev/stdin", "~root/x", "a%2eb", "file:x", "a\u00a0b", "a\ue000b"],
)  # fmt: skip
def test_odd_paths_ask_whatever_allows_them(path: str) -> None:
    outcome = said(call("read_file", path=path), "allow path(/**)", "allow tool(*)")
    assert outcome.effect is Effect.ASK
    assert outcome.doubtful


@pytest.mark.parametrize(
    "path", ["/dev/null", "/proc/cpuinfo", "/proc/7/status", "\u00fcber/\u7d75.md"]
)
def test_ordinary_paths_are_no_doubt(path: str) -> None:
    assert effect(call("read_file", path=path), "allow path(/**)") == "allow"


def test_a_relative_path_without_a_workspace_is_not_known() -> None:
    lost = call("read_file", path="secrets/key")
    lost = type(lost)(**{f: getattr(lost, f) for f in lost.__slots__} | {"workspace": None})
    assert effect(lost, "allow path(/**)", "allow tool(*)") == "ask"
    assert effect(lost, "deny path(secrets)") == "deny"


def test_without_a_known_home_a_deny_holds_everywhere_and_an_allow_nowhere() -> None:
    facts = FakeFacts(home=None)
    key = call("read_file", path="/somewhere/.ssh/id")
    assert effect(key, "deny path(~/.ssh)", facts=facts) == "deny"
    assert effect(key, "allow path(~/.ssh/**)", facts=facts) == "ask"
    assert effect(call("read_file", path="~/x"), "allow path(/**)", facts=facts) == "ask"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\proj\\src\\a.py", "allow"),
        ("c:/PROJ/src/a.py", "allow"),
        ("src\\a.py", "allow"),
        ("C:\\proj\\..\\x", "ask"),
        ("C:\\proj\\src\\a.py:stream", "ask"),
        ("C:\\proj\\src.\\a.py", "ask"),
        ("C:\\proj\\src \\a.py", "ask"),
        ("C:\\PROGRA~1\\x", "ask"),
        ("C:\\proj\\SECRETS\\k", "deny"),
        ("\\\\server\\share\\x", "ask"),
    ],
)
def test_paths_of_windows(path: str, expected: str) -> None:
    facts = FakeFacts(home="C:\\Users\\u", windows=True)
    base = call("read_file", path=path)
    there = type(base)(**{f: getattr(base, f) for f in base.__slots__} | {"workspace": "C:\\proj"})
    rules = ("allow path(C:\\proj\\**)", "deny path(secrets)")
    assert effect(there, *rules, facts=facts) == expected


@pytest.mark.parametrize(
    "pattern", ["a*/../b", "**/..", "../x", "a/../../x", "a**b**c**d/**e/**f/**g/**h"]
)
@pytest.mark.parametrize("compile_path", [compile_table_path, compile_text_path])
def test_patterns_without_a_fixed_meaning_are_refused(pattern: str, compile_path: object) -> None:
    with pytest.raises(RuleSyntaxError):
        compile_path(pattern, "/home/u", windows=False, strict=True)  # type: ignore[operator]


@given(text=st.text(alphabet="ab./~$%\u00e9 ", max_size=20))
def test_a_normal_path_is_absolute_and_stays_as_it_is(text: str) -> None:
    facts = FakeFacts()
    found = normalise(text, "/w", facts)
    if found.path is None:
        assert found.doubt
        return
    assert found.path.startswith("/")
    assert ".." not in components(found.path)
    assert collapse(found.path) == found.path
    again = normalise(found.path, "/w", facts)
    assert again.path == found.path

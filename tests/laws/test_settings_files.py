"""What holds of every settings file, whatever stands in it and whoever wrote it."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from sayso.config.followed import FollowedFile
from sayso.config.settings import Scope, parse_settings, readable_part, tightened
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from tests.fakes.values import a_call
from tests.laws.policy_worlds import randoms

HANG_SECONDS = 1.0
TEXTS = ("a", "b", "read(x)", "write(x)", "path(secrets)", "delete_*", "mcp(shop:*)")
OFFENDING = (
    ("list", '"wirte(x)"'),
    ("list", "3"),
    ("list", '"mcp(:x)"'),
    ("list", '"a", true'),
    ("table", '[[rule]]\neffect = "deny"\nrule = "("\n'),
    ("table", '[[rule]]\neffect = "maybe"\nrule = "a"\n'),
    ("table", '[[rule]]\neffect = "ask"\nrule = "a"\nwhen = "1 +"\n'),
    ("table", "[ui]\ndiff_lines = 0\n"),
    ("table", "[nonsense]\n"),
    ("table", "[tools.z]\napproval = { quorum = 0 }\n"),
    ("table", "[[permission]]\n"),
)
CALLS = (
    *(a_call(tool=tool, arguments={}) for tool in ("a", "b", "delete_all")),
    *(
        a_call(tool=tool, arguments={"file_path": path}, workspace="/w")
        for tool in ("Read", "Write")
        for path in ("/w/x", "/w/secrets/key")
    ),
    a_call(tool="get", server="shop", arguments={}),
)


def a_file(r: random.Random, offence: tuple[str, str] | None) -> str:
    """A settings file of a few rules, with one thing in it that cannot be read."""
    lists: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    tables = []
    for _ in range(r.randrange(5)):
        effect, text = r.choice(tuple(lists)), r.choice(TEXTS)
        if r.random() < 0.7:
            lists[effect].append(f'"{text}"')
        else:
            tables.append(f'[[rule]]\neffect = "{effect}"\nrule = "{text}"\n')
    if r.random() < 0.2:
        tables.append("[tools.b]\napproval = { when = 'input.n > 1' }\n")
    if offence is not None:
        where, what = offence
        if where == "list":
            into = lists[r.choice(tuple(lists))]
            into.insert(r.randint(0, len(into)), what)
        else:
            tables.insert(r.randint(0, len(tables)), what)
    written = [f"{name} = [{', '.join(rules)}]\n" for name, rules in lists.items()]
    return "[permissions]\n" + "".join(written) + "".join(tables)


def effects(file: FollowedFile, table: list[Rule], *, trusted: bool) -> list[Effect]:
    """What the calls come to with what the file says now and a rule table that is generous."""
    said = file.said(lambda _path, digest: trusted and digest is not None)
    rules = compile_ruleset(
        said.rules,
        table,
        SHIPPED.adding(said.descriptors),
        unavailable=said.problem if said.unavailable else None,
    )
    return [judge(call, rules, NOTHING_KNOWN).effect for call in CALLS]


@pytest.mark.spec("POL-23", "POL-60", "POL-63")
@given(r=randoms, scope=st.sampled_from(Scope), trusted=st.booleans())
def test_an_error_in_a_rule_never_loosens_its_file(
    tmp_path_factory: pytest.TempPathFactory, r: random.Random, scope: Scope, trusted: bool
) -> None:
    folder = tmp_path_factory.mktemp("file")
    path = folder / "settings.toml"
    table = [Rule("t", r.choice(list(Effect)), Origin.DATABASE, tool_pattern="*")]
    # what only the user may set is passed over in a project's file, and is no error there
    offences = [o for o in OFFENDING if scope is not Scope.PROJECT or "[ui]" not in o[1]]
    offence, state = r.choice(offences), r.getstate()
    path.write_text(a_file(r, None))
    without = FollowedFile(path, scope)
    without.look()
    assert without.problem is None
    wanted = effects(without, table, trusted=trusted)
    r.setstate(state)
    broken = a_file(r, offence)

    later = FollowedFile(path, scope)
    path.write_text(a_file(r, None))
    later.look()
    path.write_text(broken)
    later.look()
    at_start = FollowedFile(path, scope)
    at_start.look()
    for file in (at_start, later):
        assert file.problem is not None, broken
        found = effects(file, table, trusted=trusted)
        assert all(now >= before for now, before in zip(found, wanted, strict=True)), broken


@pytest.mark.spec("POL-60")
@given(r=randoms)
def test_a_project_that_is_not_trusted_never_loosens(r: random.Random) -> None:
    table = [Rule("t", r.choice(list(Effect)), Origin.DATABASE, tool_pattern="*")]
    user = parse_settings(Path("settings.toml"), a_file(r, None).encode())
    project = parse_settings(Path("sayso.toml"), a_file(r, None).encode(), Scope.PROJECT)
    counts = tightened(project)
    assert all(rule.effect is not Effect.ALLOW and rule.approval is None for rule in counts.rules)
    assert counts.descriptors == ()
    before = compile_ruleset(user.rules, table, SHIPPED)
    after = compile_ruleset((*user.rules, *counts.rules), table, SHIPPED)
    for call in CALLS:
        first, then = judge(call, before, NOTHING_KNOWN), judge(call, after, NOTHING_KNOWN)
        assert then.effect >= first.effect
        assert then.must_ask >= first.must_ask or then.effect is Effect.DENY


KEYS = st.sampled_from(
    [
        *("permissions", "rule", "tools", "approval", "web", "mcp", "ui", "server", "channels"),
        *("allow", "ask", "deny", "auto", "hooks", "effect", "when", "policy", "paths", "name"),
        *("required_tools", "default_timeout", "allow_domains", "auto_approve", "quorum", "kind"),
        *("tool_pattern", "path_pattern", "pattern", "examples", "id", "operation", "x", "."),
    ]
)
LEAVES = (
    st.sampled_from([*TEXTS, "deny", "ask", "allow", "input.x > 1", "((", "*", "/(/", ""])
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=True)
    | st.dates()
    | st.text(max_size=12)
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.spec("POL-60")
@given(data=st.dictionaries(KEYS, VALUES, max_size=5), scope=st.sampled_from(Scope))
def test_any_toml_is_read_or_refused_with_its_place(data: dict[str, Any], scope: Scope) -> None:
    try:
        text = tomlkit.dumps(data)
    except ValueError:  # what TOML has no form for
        return
    reading(text.encode("utf-8", "surrogatepass"), scope)


@pytest.mark.spec("POL-60")
@given(
    data=st.binary(max_size=400)
    | st.lists(
        st.sampled_from(
            [b"[permissions]\n", b"allow", b" = ", b"[", b"]", b'"a"', b"'", b'"""', b"\n", b",",
             b"[[rule]]\n", b"{", b"}", b".", b"#", b"\\u0000", b"\xff", b"deny = ['a']\n", b"\r"]
        ),
        max_size=40,
    ).map(b"".join),
    scope=st.sampled_from(Scope),
)  # fmt: skip
def test_any_bytes_are_read_or_refused_with_their_place(data: bytes, scope: Scope) -> None:
    reading(data, scope)


@pytest.mark.spec("POL-60")
@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 400_000 + " = 1",
        "[" + '"a".' * 200_000 + "a]",
        "a = " + "[" * 400_000,
        "a = " + "{a=" * 200_000,
        "a" * 1_000_000,
        '"' * 1_000_000,
        "#" * 1_000_000,
        "\n" * 1_000_000,
        "x = '''" + "a.\n" * 300_000 + "'''",
        "[permissions]\ndeny = [" + "'a'," * 200_000 + "]",
        "[[rule]]\n" * 100_000,
        "[approval]\nrequired_tools = [" + "'a'," * 900 + "]\n"
        + "".join(f"[tools.t{n}]\napproval = {{}}\n" for n in range(900)),
    ],
    ids=str.__len__,
)  # fmt: skip
def test_a_file_that_is_meant_to_keep_us_waiting_does_not(text: str) -> None:
    before = time.process_time()
    parse_or_refuse(text.encode(), Scope.PROJECT)
    readable_part(Path("sayso.toml"), text.encode(), Scope.PROJECT)
    # twice the second that one reading may take, on a machine that does other things too
    assert time.process_time() - before < 4 * HANG_SECONDS


def reading(data: bytes, scope: Scope) -> None:
    """Read it in every way: nothing but the declared error comes of it, and that names its place."""
    before = time.process_time()
    parse_or_refuse(data, scope)
    part = readable_part(Path("sayso.toml"), data, scope)
    assert all(rule.effect is not Effect.ALLOW for rule in part.rules)
    assert time.process_time() - before < HANG_SECONDS


def parse_or_refuse(data: bytes, scope: Scope) -> None:
    try:
        parse_settings(Path("sayso.toml"), data, scope)
    except SettingsInvalid as error:
        place = error.message.split(": ")[0].split(":")
        assert (place[0], len(place)) == ("sayso.toml", 3)
        assert all(int(number) > 0 for number in place[1:])

"""What a command line runs, and what cannot be known of it."""

from __future__ import annotations

import time

import pytest

from sayso.core.shell_command import Role, ShellCommand, ShellLine
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.shell.analysis import analyse
from tests.fakes.facts import FakeFacts


def read(text: str, dialect: str = "bash") -> ShellLine:
    return analyse(text, FakeFacts(dialect=dialect))


def shown(command: ShellCommand) -> str:
    """The words of a command; what is not known stands in pointed brackets as written."""
    words = [f"<{w.text}>" if w.value is None else w.value for w in command.words]
    return " ".join(words)


def ran(text: str) -> list[str]:
    return [shown(command) for command in read(text).commands if command.words]


def places(text: str, program: str = "ls") -> set[tuple[str | None, ...]]:
    found = [c for c in read(text).commands if c.words and c.words[0].value == program]
    return {place for command in found for place in command.places}


@pytest.mark.spec("POL-30")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b && c || d\ne", ["a", "b", "c", "d", "e"]),
        ("a | b |& c &", ["a", "b", "c"]),
        ("(a; { b; })", ["a", "b"]),
        ("! a", ["a"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
        ("for x in 1 $(a); do b; done", ["a", "b"]),
        ("for ((i = $(a); i < 3; i++)); do b; done", ["a", "b"]),
        ("select x in $(a); do b; done", ["a", "b"]),
        ("case $(a) in $(b)) c;; *) d;& esac", ["a", "b", "c", "d"]),
        ("f() { a; }", ["a"]),
        ("coproc a", ["a"]),
        ("echo $(a) `b` \"$(c)\"", ["a", "b", "c", "echo <$(a)> <`b`> <\"$(c)\">"]),
        ("cat <(a) >(b)", ["a", "b", "cat <<(a)> <>(b)>"]),
        ("x=$(a) y=(1 $(b)) z", ["a", "b", "z"]),
        ("cat <<E\n$(a) `b`\nE", ["a", "b", "cat"]),
        ("cat <<'E'\n$(a)\nE", ["cat"]),
        ("cat <<< $(a)", ["a", "cat"]),
        ("a > $(b)", ["b", "a"]),
        ("echo ${x:-$(a)} ${y/$(b)/$(c)} ${z:$(d)}", ["a", "b", "c", "d"]),
        ("[[ -f $(a) && $(b) == c ]]", ["a", "b"]),
        ("(( x = $(a) )); let y=$(b); echo $(( $(c) ))", ["a", "b", "c"]),
        ("w[$(a)]=1; echo ${w[$(b)]}", ["a", "b"]),
        ("export x=$(a); declare -a y=($(b))", ["a", "b"]),
        ("eval 'a; b'; trap 'c' EXIT", ["a", "b", "c"]),
        ("bash -c 'a \"$(b)\"'", ["a <\"$(b)\">", "b"]),
        ("bash <<'E'\na $(b)\nE", ["a <$(b)>", "b"]),
        ("sh <<< 'a'", ["a"]),
        ("echo 'a b' | sh", ["a b"]),
        ("printf '%s\\n' a b | bash", ["a", "b"]),
        ("cat <<'E' | sudo bash\na\nE", ["a"]),
        ("time a", ["time", "a"]),
    ],
)  # fmt: skip
def test_every_simple_command_is_found(text: str, expected: list[str]) -> None:
    found = ran(text)
    assert set(expected) <= set(found), found


@pytest.mark.spec("POL-30")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"""r"m" 'a b' c\ d""", ["rm", "a b", "c d"]),
        (r"""rm $'\x41\102\'\n' """, ["rm", "AB'\n"]),
        (r"""rm $'a\0b'c""", ["rm", "ac"]),
        (r'''rm "a\$b\`c\\d\e\"f"''', ["rm", 'a$b`c\\d\\e"f']),
        ("rm a\\\nb", ["rm", "ab"]),
        ("rm ~ ~/x a~ '~' --f=~/x", ["rm", "/home/u", "/home/u/x", "a~", "~", "--f=~/x"]),
        ('rm $HOME/x "${HOME}"/y', ["rm", "/home/u/x", "/home/u/y"]),
        ("rm {a,b}c x{1..3} {d,{e,f}}", ["rm", "ac", "bc", "x1", "x2", "x3", "d", "e", "f"]),
        ("rm {} {a} @{0} '{a,b}' {,a}", ["rm", "{}", "{a}", "@{0}", "{a,b}", "a"]),
        ("{rm,-rf,build}", ["rm", "-rf", "build"]),
        ("rm a#b", ["rm", "a#b"]),
        ("rm ''", ["rm", ""]),
    ],
)
def test_the_value_of_a_word_is_that_of_bash(text: str, expected: list[str]) -> None:
    (command,) = read(text).commands
    assert [word.value for word in command.words] == expected


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize(
    ("word", "start", "splits"),
    [
        ("a$x", "a", True),
        ('"a$x"', "a", False),
        ('"$@"', "", True),
        ("$(a)b", "", True),
        ("~root/x", "", False),
        (r"$'\u00e9'", "", True),
        ("{a,b", "", True),
        ("$x*", "", True),
    ],
)
def test_what_is_not_known_of_a_word(word: str, start: str, splits: bool) -> None:
    found = read(f"e {word}").commands[-1].words[1]
    assert (found.value, found.start, found.splits, found.pattern) == (None, start, splits, None)


@pytest.mark.spec("POL-31")
def test_a_glob_is_a_pattern_in_which_all_else_is_quoted() -> None:
    words = read(r"e *.ts 'a*'? [ab]\* a[ ~/x*").commands[0].words
    assert [word.pattern for word in words] == [
        None, "*.ts", r"a\*?", r"[ab]\*", None, "/home/u/x*",
    ]  # fmt: skip
    assert words[1].value == "*.ts"


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize(
    "text",
    [
        "$x", "$(a) b", "/bin/r?", 'eval "$x"', "source ./a.sh", ". a", 'trap "$x" EXIT',
        "alias ls=rm", "echo ${x@P}", "echo ${!x}", "echo $((a[1]))", "echo $(($1))",
        "x='a[$(b)]'; echo $((x))", "x=$(a); ((x > 1))", "[[ $x -eq 1 ]]", "[[ -v 'a[$(b)]' ]]",
        "test -v $x", "[ -v 'a[$(b)]' ]", "printf -v 'a[$(b)]' x", "read 'a[$(b)]'", "read $x",
        "unset 'a[$(b)]'", "let $x", "echo ${a[$i]}", "f() { a; }; f", "enable -f ./x.so x",
        "hash -p /tmp/x ls", "export PATH=/tmp:$PATH", "set -k", "shopt -s extglob", "fc -s",
        "mapfile -C a x", "compgen -C a", "jobs -x a", "declare -n x=y", "declare -i x=$(a)",
        "PS4='$(a)'; set -x", "BASH_ENV=x bash -c a", "curl x | sh", "bash < x", "bash",
        "bash <(curl x)", "bash -c $x", "bash <<E\n$x\nE", "a 'b", "a &&& b", "echo \u200b",
        "echo \u202e", "echo \x1b", "a @(b)", "command $x", "sudo $x",
        "env 'BASH_FUNC_ls%%=() { a; }' bash -c ls", "env BASH_ENV=x bash -c ls", "a >&'$(b)'", "a >&$x", "a >&-b",
    ],
)  # fmt: skip
def test_what_cannot_be_verified_is_doubted(text: str) -> None:
    assert read(text).doubts, text


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize(
    "text",
    [
        "for f in a b; do cat $f; done", "i=0; while ((i < 3)); do ((i++)); done",
        "for i in 1 2; do echo $((i * 2)) ${a[i]}; done", "echo $((1 + 2)) $(($# + 1))",
        '[[ -f "$x" && $y == z* ]]', '[ "$x" -gt 3 ]', "set -euo pipefail; a", "a >&b 2>&1 3>&-", "x=1; echo $x",
        "export FOO=1; a", "read -r x; echo $x", "cd a && ls", "test -v x", "trap - EXIT",
        "echo ${x:-1} ${#x} ${x%.*} ${x/a/b} ${x@Q} ${x^}", "printf '%s' $x", "wait", "unset x",
        "command -v git", "a <<'E'\n'\nE", "git commit -m \"$(cat <<'E'\n\"\nE\n)\"",
    ],
)  # fmt: skip
def test_what_is_plain_is_not_doubted(text: str) -> None:
    assert read(text).doubts == ()


@pytest.mark.spec("POL-31")
def test_what_was_found_in_a_line_that_cannot_be_read_is_kept() -> None:
    line = read("rm -rf build; echo 'unfinished")
    assert line.doubts
    assert [shown(command) for command in line.commands] == ["rm -rf build"]
    line = analyse("rm -rf $(a); rm -rf build", NOTHING_KNOWN)
    assert line.doubts == ("there is no parser for command lines",)
    assert "rm -rf build" in [shown(command) for command in line.commands]


@pytest.mark.spec("POL-33")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export PAGER=a; ls", ("PAGER",)),
        ("declare -x FOO=1; ls", ("FOO",)),
        ("typeset -x FOO; ls", ("FOO",)),
        ("GIT_DIR=x; ls", ("GIT_DIR",)),
        ("IFS=/; ls", ("IFS",)),
        ("read LD_PRELOAD; ls", ("LD_PRELOAD",)),
        ("printf -v PAGER x; ls", ("PAGER",)),
        ("mapfile -t PAGER; ls", ("PAGER",)),
        ("for PAGER in a; do ls; done", ("PAGER",)),
        ("set -a; FOO=1; ls", ("FOO",)),
        ("while ls; do export FOO=1; done", ("FOO",)),
        ("(export FOO=1); ls", ()),
        ("export FOO=1 | ls", ()),
        ("x=1; ls", ()),
        ("export LANG=C CI=true; ls", ()),
        ("FOO=1; ls", ()),
        ("GIT_DIR=x ls; ls", ()),
        ("LD_PRELOAD=x.so nice -n 5 ls", ("LD_PRELOAD",)),
        ("GIT_PAGER=x bash -c 'ls'", ("GIT_PAGER",)),
        ("FOO=x timeout 5 sh -c 'nohup ls'", ("FOO",)),
        ("CI=1 timeout 5 ls", ()),
        ("FOO=x timeout 5 ls; ls", ()),
    ],
)
def test_assignments_reach_later_commands(text: str, expected: tuple[str, ...]) -> None:
    found = [c for c in read(text).commands if c.words and c.words[0].value == "ls"]
    assert found[-1].inherited == expected


@pytest.mark.spec("POL-40")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls", {()}),
        ("cd a && ls", {("a",)}),
        ("cd a; ls", {("a",), ()}),
        ("cd a || ls", {()}),
        ("cd a || exit 1; ls", {("a",)}),
        ("cd a && cd b && ls", {("a", "b")}),
        ("cd /x && ls", {("/x",)}),
        ("cd && ls", {("/home/u",)}),
        ("(cd a); ls", {()}),
        ("cd a | ls", {()}),
        ("cd a & ls", {()}),
        ("(cd a && ls)", {("a",)}),
        ("cd - && ls", {(None,)}),
        ("cd $x && ls", {(None,)}),
        ("cd $x && cd /y && ls", {("/y",)}),
        ("pushd a && ls", {("a",)}),
        ("popd && ls", {(None,)}),
        ("CDPATH=/x; cd a && ls", {(None,)}),
        ("CDPATH=/x cd a && ls", {(None,)}),
        ("eval 'cd a' && ls", {("a",)}),
        ("command cd a && ls", {("a",)}),
        ("if cd a; then ls; fi", {("a",)}),
        ("if cd a; then :; else ls; fi", {()}),
        ("for x in 1 2; do ls; cd a; done", {(None,)}),
        ("env -C a ls", {("a",)}),
        ("until cd /x; do exit; done; ls", {("/x",), (), (None,)}),
        ("cd a;cd b;cd c;cd d; ls", {(None,)}),
    ],
)
def test_cd_is_followed(text: str, expected: set[tuple[str | None, ...]]) -> None:
    assert places(text) == expected


@pytest.mark.spec("POL-40")
def test_a_line_that_is_too_long_or_too_deep_is_doubted_and_what_is_known_is_kept() -> None:
    long = read("rm x; " + "true; " * 20_000)
    assert any("longer" in why for why in long.doubts)
    assert shown(long.commands[0]) == "rm x"
    deep = read("rm x; " + "$(" * 100 + "a" + ")" * 100)
    assert any("deeper" in why for why in deep.doubts)
    assert shown(deep.commands[0]) == "rm x"
    many = read(" && ".join(["true"] * 3000) + " && rm x")
    assert many.doubts == ()
    assert shown(many.commands[-1]) == "rm x"


@pytest.mark.spec("POL-31")
@pytest.mark.parametrize(
    "text",
    [
        "echo x >! a", "echo =ls", "noglob rm x", "setopt extendedglob", "integer x=1", "repeat 3 a",
        "echo $~x", "echo ${a[1]}",
        "coproc a", "echo ${x@Q}",
    ],
)  # fmt: skip
def test_what_zsh_reads_differently_is_doubted_in_zsh(text: str) -> None:
    assert read(text, "zsh").doubts
    assert not read("git status && echo 'a' \"$x\" > b", "zsh").doubts


@pytest.mark.spec("POL-31")
def test_what_a_posix_shell_reads_differently_is_doubted_there() -> None:
    assert read("sh -c '((rm -rf x))'").doubts
    assert read("sh -c 'a &> b'").doubts
    assert not read("sh -c 'a && b > c'").doubts
    assert read("echo $'a'", "posix").doubts
    assert read("bash -c '$x\\rm'", "posix").doubts
    (command,) = read("{rm,x}", "posix").commands
    assert command.words[0].value is None


@pytest.mark.spec("POL-30")
def test_roles_and_wrappers_of_what_a_wrapper_runs() -> None:
    outer, inner = read("timeout 5 rm x").commands
    assert (outer.role, inner.role, inner.wrappers) == (Role.TRANSPARENT, Role.PLAIN, ("timeout",))
    outer, inner = read("docker run x rm y").commands
    assert (outer.role, inner.role) == (Role.PLAIN, Role.TRANSPARENT)
    shell, inner = read("bash <<< ls").commands
    assert (shell.role, inner.wrappers) == (Role.TRANSPARENT, ("bash",))


@pytest.mark.spec("POL-37")
def test_a_line_is_analysed_once() -> None:
    facts = FakeFacts()
    assert analyse("echo $(once)", facts) is analyse("echo $(once)", FakeFacts())
    assert analyse("echo ~", facts) is not analyse("echo ~", FakeFacts(home="/other"))
    assert analyse("echo ~", FakeFacts(home="/other")).commands[0].words[1].value == "/other"
    assert analyse("echo ~", FakeFacts(home=None)).commands[0].words[1].value is None


@pytest.mark.spec("POL-33")
def test_a_line_that_changes_its_home_does_not_know_it() -> None:
    for line in (
        "HOME=/x; cat ~/y",
        "HOME=/x bash -c 'cat ~/y'",
        "env HOME=/x bash -c 'cat ~/y'",
        "sudo bash -c 'cat ~/y'",
        "su -c 'cat $HOME/y'",
        "read HOME; cat ~/y",
        'eval "HO""ME=/x"; cat ~/y',
    ):
        assert read(line).commands[-1].words[1].value is None, line
    assert read("bash -c 'cat ~/y'").commands[-1].words[1].value == "/home/u/y"


@pytest.mark.spec("POL-36")
def test_what_git_answers_is_not_known_wherever_the_line_runs() -> None:
    # `core.worktree`, `core.bare` and whose folder it is may have it answer something else, or nothing.
    facts = FakeFacts(repositories=frozenset({"/srv/proj"}))
    text = "cat $(git rev-parse --show-toplevel)/a.py"
    for workspace in ("/srv/proj", "/srv/proj/src", "/srv", None):
        assert analyse(text, facts, workspace).commands[-1].words[-1].value is None


@pytest.mark.spec("POL-37")
def test_a_line_that_asks_where_it_runs_is_not_the_same_elsewhere() -> None:
    words = [
        analyse("cat $PWD/a", FakeFacts(), at).commands[0].words[1].value for at in ("/a", "/b")
    ]
    assert words == ["/a/a", "/b/a"]


@pytest.mark.spec("POL-40")
@pytest.mark.parametrize(
    "wrapper",
    ["env ", "sudo ", "xargs ", "timeout 5 ", "find -exec ", "docker run a ", "ssh h ", "yarn run ",
     "strace -o f ", "script f ", "uv run ", "flock a ", "npx ", "su -c x "],
)  # fmt: skip
def test_a_long_line_of_wrappers_costs_little_and_is_in_doubt(wrapper: str) -> None:
    text = wrapper * (64_000 // len(wrapper)) + "rm"
    started = time.process_time()
    line = analyse(text, FakeFacts())
    assert time.process_time() - started < 2  # a second on a machine that does nothing else
    assert line.doubts


@pytest.mark.spec("POL-40")
@pytest.mark.parametrize("wrapper", ["yarn run ", "docker run a ", "env ", "npx "])
def test_what_is_nested_too_deep_is_in_doubt_whatever_covers_it(wrapper: str) -> None:
    assert read(wrapper * 70 + "rm x").doubts == ("it is nested deeper than 64 levels",)

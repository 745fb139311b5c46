"""What the words of a command touch, by what is known of its program."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.operation import Operation
from sayso.core.shell_command import Redirection, ShellCommand, ShellWord
from sayso.policy.shell.operands import touched
from sayso.policy.shell.programs import PROGRAMS
from sayso.policy.shell.touched import Sort, Touched
from sayso.policy.shell.words import literal


def word(text: str) -> ShellWord:
    """A word of a plain line: one that begins with `$` is not known, a star may be names of files."""
    if text.startswith("$"):
        return ShellWord(text, None, splits=True)
    return ShellWord(text, text, text, text if "*" in text else None)


def command(line: str) -> ShellCommand:
    return ShellCommand(line, tuple(map(word, shlex.split(line))))


def found(line: str) -> list[Touched]:
    return list(touched(command(line)))


def said(line: str) -> set[str]:
    """What is touched, as `operation name`; guesses with a question mark."""
    names = set()
    for thing in found(line):
        name = "?" if thing.sort is Sort.ANYTHING else thing.word.value or thing.word.text
        below = "".join(f"{folder}/" for folder in thing.folders)
        what = "host" if thing.sort is Sort.ADDRESS else thing.operation.value
        names.add(f"{what} {below}{name}")
    return names


@pytest.mark.spec("POL-36")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # The syntax of a known program says which words are files.
        ("grep secrets notes.txt", {"read notes.txt"}),
        ("grep -e a -f patterns notes.txt", {"read patterns", "read notes.txt"}),
        ("grep -fpatterns notes.txt", {"read patterns", "read notes.txt"}),
        ("grep --fil patterns notes.txt", {"read patterns", "read notes.txt"}),
        ("grep --include=*.py -rn x src", {"read src"}),
        ("grep -r x", {"read ."}),
        ("rg x", {"read ."}),
        ("grep x -- -r", {"read -r"}),
        ("grep --color secrets notes.txt", {"read notes.txt"}),
        ("git log --color notes.txt", {"read notes.txt"}),
        ("cat a b -", {"read a", "read b"}),
        ("head -n 5 a", {"read a"}),
        ("sort -o out in", {"write out", "read in"}),
        ("sort -ronotes.txt a.txt", {"write notes.txt", "read a.txt"}),
        ("uniq in out", {"read in", "write out"}),
        ("tee -a x y", {"write x", "write y"}),
        ("touch -r ref new", {"read ref", "write new"}),
        ("mv a b/", {"read a", "delete a", "write b/", "write b/a"}),
        ("cp a b c", {"read a", "read b", "write c", "write c/a", "write c/b"}),
        ("cp -t d a", {"write d", "write d/a", "read a"}),
        ("cp a.txt b.txt", {"read a.txt", "write b.txt"}),
        ("ln -s ~/.ssh k", {"read ~/.ssh", "write k", "write k/.ssh"}),
        ("rm -rf a", {"delete a"}),
        ("dd if=/etc/shadow of=out bs=1", {"read /etc/shadow", "write out"}),
        ("chmod 600 key", {"write key"}),
        ("chmod --reference=a b", {"read a", "write b"}),
        ("install -d .git/hooks/x", {"any .git/hooks/x"}),
        ("date -f secrets/key", {"read secrets/key"}),
        ("man ls", set()),
        ("man ./secrets", {"any ./secrets"}),
        ("patch -p1 a.txt", {"any ?", "any a.txt"}),
        ("git apply x.diff", {"any ?", "read x.diff"}),
        ("rsync -a src/ host:dst", {"read src/"}),
        ("scp host:/x .", {"any host:/x", "write ."}),
        ("docker run -v /etc:/x --rm alpine ls", {"any /etc"}),
        ("docker run --mount type=bind,source=/etc,target=/x alpine", {"any /etc"}),
        ("xargs -a list rm", {"read list"}),
        # The small languages.
        ("sed -i s/x/y/ f", {"any f"}),
        ("sed 's/x/y/w out' a", {"write out", "read a"}),
        ("sed -n '1,5p;w out' a", {"write out", "read a"}),
        ("sed 's/write/e/g' a", {"read a"}),
        ("sed '/a/,/b/{s#x#y#g;r inc\n}' f", {"read inc", "read f"}),
        ("sed '2!d; $a text w x' f", {"read f"}),
        ("sed 'q5;@' f", {"any ?", "read f"}),
        ("sed 'e cat x' f", {"any ?", "read f"}),
        ("sed 's/[/]/x/;w out' f", {"write out", "read f"}),
        ("awk '/a|b/ {print}' f", {"read f"}),
        ("awk 'BEGIN {getline x < ARGV[1]}' f", {"any ?", "read f"}),
        ("awk '{print $1}' a", {"read a"}),
        ("awk '{print > \"x\"}' a", {"any ?", "read a"}),
        ("awk -f prog -v x=1 a", {"read prog", "read a"}),
        ("find src -newer ref -fprint out", {"read src", "read ref", "write out"}),
        ("find src -delete", {"delete src"}),
        ("find src -name x -delete", {"any src"}),
        ("find -name x", {"read ."}),
        ("tar -cf a.tar .env src", {"write a.tar", "read .env", "read src"}),
        ("tar czf - src", {"read src"}),
        ("tar xf a.tar -C /etc", {"read a.tar", "read /etc", "write /etc/."}),
        ("tar -c --file=a.tar -C d x", {"write a.tar", "read d", "read d/x"}),
        # Addresses.
        ("curl https://h/x", {"host https://h/x"}),
        ("curl 127.0.0.1:8484/x", {"host http://127.0.0.1:8484/x"}),
        ("curl -d @f -F a=@g -H @h http://h", {"read f", "read g", "read h", "host http://h"}),
        ("curl -d {} -F a=b http://h", {"host http://h"}),
        ("curl --connect-to ::127.0.0.1:1 http://h", {"host http://127.0.0.1:1", "host http://h"}),
        ("curl file:///etc/passwd", {"read file:///etc/passwd"}),
        ("curl -sO http://h/.npmrc", {"host http://h/.npmrc", "write .npmrc"}),
        ("wget -P d http://h/x", {"read d", "host http://h/x", "write x", "write d/x"}),
        ("nc 127.0.0.1 8484", {"host http://127.0.0.1:8484"}),
        ("socat TCP:127.0.0.1:8484 -", {"host http://127.0.0.1:8484"}),
        # git.
        ("git -C sub add .env", {"read sub", "read .env", "read sub/.env"}),
        ("git blame --contents /etc/shadow -- a", {"read /etc/shadow", "read a"}),
        ("git check-ignore .env", set()),
        ("git commit -m 'see .env' -F msg", {"read msg"}),
        ("git show HEAD:secrets/key", {"read HEAD:secrets/key", "read secrets/key"}),
        ("git log --grep=secrets --oneline", set()),
        ("git clone https://h/r x", {"host https://h/r", "write x"}),
        ("git rm -r x", {"delete x"}),
        ("git frob secrets", {"any secrets"}),
        # Programs that run code.
        ("python3 x.py a", {"read x.py", "any a"}),
        ("python3.12 -c 'open(1)'", {"any ?"}),
        ("python3", {"any ?"}),
        ("python3 -", {"any ?"}),
        ("python3 -m http.server", set()),
        ("node -e 1", {"any ?"}),
        ("perl -lane print f", {"any ?", "any f"}),
        # No word of these is a file.
        ("echo .env secrets/key", set()),
        ("printf %s .env", set()),
        ("[ -f .env ]", set()),
        ("npm test", set()),
        ("npm run build ./x", {"any ./x"}),
        ("make build OUT=/etc/x", {"any /etc/x"}),
        # Of a program that is not known any word may be anything.
        ("frob secrets", {"any secrets"}),
        ("frob --in=secrets -isecrets", {"any secrets"}),
        ("frob @x a=b", {"any @x", "any x", "any a=b", "any b"}),
        ("frob https://h/x", {"host https://h/x"}),
        ("frob --flag", set()),
        ("frob 'two\nlines'", set()),
        ("/opt/x/grep secrets f", {"read /opt/x/grep", "read f"}),
        # What another program runs is that program's.
        ("timeout 5 cat secrets", set()),
        ("nohup frob secrets", {"write nohup.out"}),
    ],
)
def test_the_words_of_a_command_that_name_something(line: str, expected: set[str]) -> None:
    assert said(line) == expected


@pytest.mark.spec("POL-36")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cat $F", {"read ?"}),
        ("frob $F", {"any ?"}),
        ("rm -rf $F", {"delete ?"}),
        ("rm $F", {"any ?"}),  # without -r it takes no folder away
        ("tee $F", {"write ?"}),
        ("echo $F", set()),
        ("npm run $F", set()),
        ("grep $P f", {"read ?", "read f"}),
        ("curl $U", {"host $U"}),
    ],
)
def test_what_is_not_known_before_the_line_runs(line: str, expected: set[str]) -> None:
    assert expected <= said(line)


@pytest.mark.spec("POL-36")
def test_after_words_that_may_be_many_an_operand_may_be_any_of_them() -> None:
    assert "read f" in said("grep $OPTIONS f")
    assert said("grep *.c f") == {"read *.c", "read f"}


@pytest.mark.spec("POL-36")
def test_a_pipe_that_stands_for_a_file_is_none() -> None:
    pipe = ShellWord("<(ls)", None)
    assert not list(touched(ShellCommand("cat <(ls)", (literal("cat"), pipe))))


@pytest.mark.spec("POL-34")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out", [("write", "out", True)]),
        ("/dev/nullx", [("write", "/dev/nullx", True)]),
        ("/dev/null", []),
        ("/dev/stderr", []),
        ("/dev/fd/3", []),
    ],
)
def test_a_redirection_that_writes(name: str, expected: list[tuple[str, str, bool]]) -> None:
    writes = ShellCommand("", (), redirections=(Redirection(Operation.WRITE, literal(name)),))
    seen = [(t.operation.value, t.word.value or "", t.redirected) for t in touched(writes)]
    assert seen == expected


@pytest.mark.spec("POL-36")
def test_an_input_redirection_is_read() -> None:
    reads = ShellCommand("", (), redirections=(Redirection(Operation.READ, literal("x")),))
    (thing,) = touched(reads)
    assert (thing.operation, thing.redirected) == (Operation.READ, False)


@pytest.mark.spec("POL-44")
def test_a_device_of_bash_is_a_host_too() -> None:
    name = literal("/dev/tcp/127.0.0.1/8484")
    host, path = touched(ShellCommand("", (), redirections=(Redirection(Operation.ANY, name),)))
    assert (host.sort, host.word.value) == (Sort.ADDRESS, "http://127.0.0.1:8484")
    assert path.redirected


@pytest.mark.spec("POL-36")
def test_what_runs_in_a_container_touches_other_files() -> None:
    inside = ShellCommand("cat /etc/shadow", (literal("cat"), literal("/etc/shadow")))
    assert list(touched(inside))
    there = ShellCommand(inside.text, inside.words, wrappers=("docker",))
    assert not list(touched(there))


@pytest.mark.spec("POL-36")
@given(
    st.sampled_from([*PROGRAMS, "frob"]).map(
        lambda name: name.replace("-", " ", name[:4] == "git-")
    ),
    st.lists(
        st.text(max_size=12) | st.sampled_from(["-", "--", "-x", "--file=", "=", "@", "$x", "*"])
    ),
)
def test_no_word_is_too_odd(name: str, words: list[str]) -> None:
    line = tuple(map(word, [*name.split(), *words]))
    list(touched(ShellCommand("", line)))


@pytest.mark.spec("POL-36")
def test_ten_thousand_words_are_no_trouble() -> None:
    names = [f"f{n}" for n in range(10_000)]
    assert len(found("cat " + " ".join(names))) == 10_000
    assert len(list(touched(command("tar cf - " + " ".join(names))))) == 10_000
    list(touched(command("sed '" + "s/a/b/;" * 10_000 + "' f")))


@pytest.mark.spec("POL-38")
def test_a_shortened_option_walks_as_the_whole_one_does() -> None:
    for line in ("grep --recu x .", "cp --rec . docs", "chmod --recurs 600 ."):
        assert any(thing.walks for thing in found(line)), line
    assert all(thing.whole for thing in found("rm --rec docs"))
    assert not any(thing.walks for thing in found("grep --rev x ."))


@pytest.mark.spec("POL-36")
def test_a_diff_walks_what_it_compares() -> None:
    assert all(thing.walks for thing in found("diff -N . docs"))


@pytest.mark.spec("POL-36")
def test_a_file_of_a_revision_is_looked_for_behind_every_colon() -> None:
    assert {"read k", "read 0:k"} <= said("git show :0:k")
    assert "?" in {name.split()[-1] for name in said("git show " + ":x" * 1000)}

"""What a program runs that runs another one (POL-32)."""

from __future__ import annotations

import pytest

from sayso.core.shell_command import ShellWord
from sayso.policy.made_up_facts import MadeUpFacts
from sayso.policy.shell.analysis import analyse
from sayso.policy.shell.wrapper_table import RUNNERS, WRAPPERS
from sayso.policy.shell.wrappers import Inner, inner_of, reads_script_from_input
from tests.unit.policy.shell_words import words


def shown(inner: Inner) -> str:
    if inner.unknown is not None:
        return "?"
    text = inner.text if inner.text is not None else _words(inner.words or ())
    mark = "~" if inner.transparent else "^" if inner.elsewhere or inner.covered else ""
    return f"{mark}`{text}`" if inner.text is not None else f"{mark}{text}"


def _words(found: tuple[ShellWord, ...]) -> str:
    return " ".join(_word(each) for each in found)


def _word(word: ShellWord) -> str:
    if word.value is None:
        return f"<{word.start}>" + ("*" if word.splits else "")
    return word.value


@pytest.mark.spec("POL-32")
@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("timeout 5 rm -rf build", "~rm -rf build"),
        ("timeout -s KILL --foreground 5 rm x", "~rm x"),
        ("timeout --sig=KILL -k5 5 rm x", "~rm x"),
        ("timeout -- 5 rm", "~rm"),
        ("timeout --unheard 5 rm", "?"),
        ("timeout --help", ""),
        ("timeout $T% rm x", "?"),
        ("timeout -s $S 5 rm x", "~rm x"),
        ("/usr/bin/timeout 5 rm", "~rm"),
        ("/tmp/evil/timeout 5 rm", "rm"),
        ("nice -n 5 rm", "~rm"),
        ("nice -5 rm", "~rm"),
        ("nohup rm", "~rm"),
        ("stdbuf -oL rm", "~rm"),
        ("time -p rm", "~rm"),
        ("time -o log rm", "rm"),
        ("command rm", "~rm"),
        ("command -p rm", "~rm"),
        ("command -v rm", ""),
        ("command -V rm", ""),
        ("builtin command rm", "~command rm"),
        ("exec -a x rm", "rm"),
        ("exec", ""),
        ("env rm", "~rm"),
        ("env LANG=C rm", "~rm"),
        ("env LD_PRELOAD=x rm", "rm"),
        ("env -i A=1 rm -rf build", "rm -rf build"),
        ("env - rm", "rm"),
        ("env -S 'rm -rf build' x", "rm -rf build x"),
        ("env '-Srm -rf build'", "rm -rf build"),
        ("env '--split-string=A=1 rm'", "rm"),
        ("env -S 'rm ${X}'", "?"),
        ("env $X% rm", "?"),
        ("env A=$X rm", "rm"),
        ("env", ""),
        ("sudo rm", "rm"),
        ("sudo -u root -nE A=1 rm x", "rm x"),
        ("sudo -uroot rm", "rm"),
        ("sudo -l rm", ""),
        ("sudo -i", ""),
        ("doas -u root rm", "rm"),
        ("setsid -f rm", "rm"),
        ("watch -n1 rm -rf build", "`rm -rf build`"),
        ("watch -x rm build", "rm build"),
        ("watch 'ls | wc'", "`ls | wc`"),
        ("watch ls $X", "?"),
        ("ionice -c3 rm", "rm"),
        ("ionice -p 5", ""),
        ("flock /tmp/l -c 'rm -rf build'", "`rm -rf build`"),
        ("flock -n /tmp/l rm build", "rm build"),
        ("flock 9", ""),
        ("busybox rm -rf build", "rm -rf build"),
        ("xargs rm -rf", "~rm -rf <>*"),
        ("xargs -0 rm", "rm <>*"),
        ("xargs -0 -n1 -I{} rm -rf {}", "rm -rf <>"),
        ("xargs -I % mv % x/%", "mv <> <x/>"),
        ("xargs", ""),
        ("parallel rm", "rm <>*"),
        ("parallel -j4 rm {} ::: a b", "rm <>"),
        ("parallel ::: a b", "?"),
        ("parallel 'rm {}; ls' ::: a", "`rm {}; ls` ?"),
        ("bash -c 'rm -rf build'", "~`rm -rf build`"),
        ("bash -lc 'ls && rm'", "~`ls && rm`"),
        ("sh -ec 'rm'", "~`rm`"),
        ("bash -euo pipefail -c 'rm'", "~`rm`"),
        ("bash -ic 'rm'", "`rm`"),
        ("bash --rcfile x -c 'rm'", "`rm`"),
        ("bash -O extglob -c 'rm'", "`rm` ?"),
        ("bash -c $X", "?"),
        ("bash script.sh -c x", "^./script.sh -c x"),
        ("bash", ""),
        ("bash $X% -c rm", "?"),
        ("/tmp/bash -c rm", "`rm`"),
        ("fish -c 'rm -rf build'", "`rm -rf build` ?"),
        ("eval 'rm -rf build'", "`rm -rf build`"),
        ("eval rm -rf", "`rm -rf`"),
        ("eval $X", "?"),
        ("trap 'rm x' EXIT", "`rm x`"),
        ("trap - EXIT", ""),
        ("find . -name x -exec rm {} +", "rm <.>*"),
        ("find src -exec rm -f {} ;", "rm -f <src>"),
        ("find src tests -exec rm {} ;", "rm <>"),
        ("find src/a src/b -exec rm x{} ;", "rm <x>"),
        ("find . -exec grep -q x {} ; -exec rm {} ;", "grep -q x <.> rm <.>"),
        ("find . -execdir touch owned {} +", "touch owned <./>*"),
        ("find . -ok touch owned ;", "touch owned"),
        ("find . -exec sh -c 'rm {}' ;", "^`rm {}` sh -c <rm >"),
        ("find . $X% ", "?"),
        ("find . -name x", ""),
        ("fd --exec-batch touch owned", "touch owned <./>*"),
        ("fd x -x rm {}", "rm <./>"),
        ("fd -Hx rm", "rm <./>*"),
        ("fd -e txt", ""),
        ("fd -- -x", ""),
        ("git log", ""),
        ("git -c core.pager='rm x' log", "^`rm x`"),
        ("git -c alias.x='!rm x' x", "^`rm x`"),
        ("git -c alias.x=log x", "^git log"),
        ("git 'fetch' --upload-pack='rm x' .", "^`rm x`"),
        ("tar xf a --to-command='rm x'", "^`rm x`"),
        ("tar cf a --checkpoint-action=exec='rm x'", "^`rm x`"),
        ("rg --pre rm x", "^`rm`"),
        ("ssh -o ProxyCommand='rm x' h", "^`rm x`"),
        ("ssh -o BatchMode=yes h", ""),
        ("vim -c ':!rm x' f", "^`rm x`"),
        ("less '+!rm x' f", "^`rm x`"),
        ("awk 'BEGIN{system(\"rm x\")}'", "^`rm x`"),
        ("awk '{print $1}' f", ""),
        ("git rebase -x 'rm x' main", "^`rm x`"),
        ("git bisect run rm x", "rm x"),
        ("git submodule foreach --quiet 'rm x'", "`rm x`"),
        ("ssh host.example.com 'rm -rf build'", "`rm -rf build`"),
        ("ssh -p 22 u@host rm x", "`rm x`"),
        ("ssh host -p 22 rm x", "`rm x`"),
        ("ssh host", ""),
        ("docker run --rm alpine rm -rf x", "^rm -rf x"),
        ("docker run --rm -it -v $PWD:/x alpine", ""),
        ("docker -H tcp://x exec -it web rm x", "rm x"),
        ("docker compose -f x.yml exec web rm x", "rm x"),
        ("docker compose run web rm x", "^rm x"),
        ("docker ps", ""),
        ("docker run -v $PWD% alpine rm x", "^rm x"),
        ("docker exec -e $X% web rm x", "?"),
        ("docker run --unheard alpine rm", "?"),
        ("kubectl exec -it pod -c main -- rm x", "rm x"),
        ("kubectl exec pod rm x", "rm x"),
        ("kubectl get pods", ""),
        ("chroot /mnt rm x", "rm x"),
        ("nsenter -t 1 -m -- rm x", "rm x"),
        ("unshare -r rm", "rm"),
        ("strace -f -o log rm", "rm"),
        ("gdb --args rm x", "rm x"),
        ("script -qc 'rm x' log", "`rm x`"),
        ("su root -c 'rm x'", "`rm x`"),
        ("su - root", ""),
        ("runuser -u www -- rm x", "rm x"),
        ("chrt -f 5 rm", "rm"),
        ("taskset -c 0,1 rm", "rm"),
        ("npx -c 'rm -rf build'", "`rm -rf build`"),
        ("npx --call='rm x'", "`rm x`"),
        ("npx cowsay -c x", "^cowsay -c x"),
        ("npx -y cowsay -- -c x", "^cowsay -- -c x"),
        ("npm exec -c 'rm x'", "`rm x`"),
        ("devbox run rm -rf build", "rm -rf build"),
        ("poetry run rm x", "rm x"),
        ("/lib64/ld-linux-x86-64.so.2 /usr/bin/npx cowsay", "/usr/bin/npx cowsay"),
        ("ld-linux.so.2 --list /bin/ls", ""),
        ("expect -c 'spawn rm'", "?"),
        ("systemd-run --user --scope rm x", "rm x"),
        ("start-stop-daemon -S -x /bin/rm -- x", "/bin/rm x"),
        ("hyperfine 'rm x' 'ls'", "`rm x` `ls`"),
        ("$X rm", ""),
        ("ls -la", ""),
    ],
)
def test_what_a_program_runs(line: str, runs: str) -> None:
    assert " ".join(shown(inner) for inner in inner_of(words(line))) == runs


@pytest.mark.spec("POL-32")
@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_an_option_that_is_not_known_hides_no_command(name: str) -> None:
    found = inner_of(words(f"{name} --unheard-of x rm -rf build"))
    assert any(inner.unknown or "rm" in shown(inner) for inner in found), name


@pytest.mark.spec("POL-32")
@pytest.mark.parametrize("runner", sorted(RUNNERS))
def test_a_task_runner_runs_the_words_after_its_verb(runner: tuple[str, ...]) -> None:
    found = inner_of(words(f"{' '.join(runner)} -- x rm"))
    assert [shown(inner) for inner in found] in (["x rm"], ["rm"])


@pytest.mark.spec("POL-32")
def test_where_the_inner_command_runs_is_told() -> None:
    (inner,) = inner_of(words("env -C secrets cat key"))
    assert inner.folder == ShellWord("secrets", "secrets", "secrets")
    (inner,) = inner_of(words("find . -execdir cat key ;"))
    assert inner.folder == ShellWord("{}", None)


@pytest.mark.spec("POL-32")
@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("bash", True),
        ("sh -s x", True),
        ("bash -e", True),
        ("bash -", True),
        ("bash /dev/stdin", True),
        ("bash -c 'ls'", False),
        ("bash script.sh", False),
        ("bash -o pipefail script.sh", False),
        ("sudo bash", True),
        ("sudo -i", True),
        ("env -i bash", True),
        ("ssh host", True),
        ("ssh host bash -s", True),
        ("ssh host ls", False),
        ("docker exec -i web sh", True),
        ("xargs sh", False),
        ("at now", True),
        ("crontab -", True),
        ("cat", False),
        ("node", False),
    ],
)
def test_which_commands_read_a_script_from_their_input(line: str, reads: bool) -> None:
    assert reads_script_from_input(words(line)) is reads


@pytest.mark.spec("POL-40")
def test_texts_within_texts_are_read_only_up_to_a_length_together() -> None:
    line = analyse("eval " * 8000 + "sh", MadeUpFacts())
    assert len(line.commands) < 10
    assert "the commands within commands are too long together" in line.doubts


@pytest.mark.spec("POL-31")
def test_a_reader_of_scripts_is_seen_behind_wrappers_and_none_where_no_word_names_one() -> None:
    assert reads_script_from_input(words("timeout 5 env A=1 /bin/bash"))
    assert not reads_script_from_input(words("timeout 5 env A=1 " + "x " * 5000))
    assert reads_script_from_input(words("nice " * 100 + "sh")), "deeper than anybody writes it"

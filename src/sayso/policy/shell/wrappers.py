"""Commands within commands: what a program runs that runs another one (POL-32)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import Inner, is_word, text_of, unknown
from sayso.policy.shell.inner_files import of_script_file
from sayso.policy.shell.inner_leading import of_env, of_flock, of_nice, of_plain
from sayso.policy.shell.inner_options import RUNNING_BY_OPTIONS, by_options
from sayso.policy.shell.inner_places import of_fd, of_find, of_parallel, of_xargs
from sayso.policy.shell.inner_sessions import of_gcloud, of_ip, of_screen, of_tmux
from sayso.policy.shell.inner_shells import (
    of_other_shell,
    of_script,
    of_shell,
    of_su,
    of_trap,
    read_shell,
)
from sayso.policy.shell.inner_verbs import (
    RUNNER_NAMES,
    of_container,
    of_git,
    of_kubectl,
    of_npx,
    of_runner,
)
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.program_name import base_name, trusted_name
from sayso.policy.shell.programs import PROGRAMS, Use
from sayso.policy.shell.words import after, beginning, is_known, literal
from sayso.policy.shell.wrapper_table import (
    CONTAINER_PROGRAMS,
    FD_PROGRAMS,
    FIND_PROGRAMS,
    OTHER_SHELLS,
    SHELLS,
    WRAPPERS,
    Wrapper,
)

_LOADER = re.compile(r"ld(?:-linux|-musl|64)?[-.\w]*\.so(?:\.\d+)*")
_LOADER_OPTIONS = (
    "list verify inhibit-cache list-tunables list-diagnostics help version library-path= preload= argv0= "
    "audit= inhibit-rpath= glibc-hwcaps-prepend= glibc-hwcaps-mask="
)

__all__ = ["SCRIPT_READERS", "Inner", "inner_of", "reads_script_from_input", "runs_its_words"]

SCRIPT_READERS = (
    frozenset({"at", "batch", "su", "crontab", "source", ".", "ssh"})
    | {"sudo", "doas", "chroot", "nsenter", "unshare"}
    | SHELLS.keys()
    | OTHER_SHELLS
)
"""Programs that may run what they read, although their words name no command."""


def inner_of(words: tuple[ShellWord, ...]) -> tuple[Inner, ...]:
    """The commands that a command runs, none if its program runs no other, or nothing this time."""
    if not words or not is_known(words[0]):
        return ()
    called = words[0].value or ""
    name = base_name(called).casefold()
    if not _may_run(name):
        return ()
    found = (*_inner(name, words), *by_options(name, words))
    if trusted_name(called) != base_name(called) or called != called.casefold():
        # Another program of that name: what it runs is tried, and nothing is trusted to it.
        found = tuple(
            replace(inner, transparent=False, elsewhere=False, covered=False) for inner in found
        )
    return (*found, *of_script_file(name, words))


def _may_run(name: str) -> bool:
    """Whether a program may run another one; most do not, and are told by their name."""
    return name in _RUNNING or name[:2] == "ld" or name[-1:] in _ENDS_OF_A_VERSION


def runs_its_words(words: tuple[ShellWord, ...]) -> bool:
    """Whether the words of a command are those of another one that it runs, and not files of its own."""
    if not words or not is_known(words[0]):
        return False
    name = base_name(words[0].value or "").casefold()
    return _may_run(name) and any(True for _ in _inner(name, words))


def reads_script_from_input(words: tuple[ShellWord, ...], depth: int = 0) -> bool:
    """Whether the command, or one it runs, is a shell that reads commands from its standard input."""
    if not words or not is_known(words[0]):
        return False
    if not depth and not any(_NAMES_A_READER.search((word.value or "").lower()) for word in words):
        return False
    if depth > _DEEPEST or (depth and len(words) > _LONGEST):
        return True  # nobody writes that in earnest, and it may be one
    name = base_name(words[0].value or "").casefold()
    if name in SHELLS or name in OTHER_SHELLS:
        return _shell_reads_input(words)
    if name in ("at", "batch", "su"):
        return not any(word.value in ("-c", "--command", "-f", "-l", "-r", "-d") for word in words)
    if name == "crontab":
        return any(word.value == "-" for word in words)
    if name in ("source", "."):
        return any(word.value in _INPUT_FILES for word in words[1:2])
    inner = inner_of(words)
    if name == "ssh" and not inner:
        return not any(word.value in ("-N", "-V", "-G", "-f") for word in words)
    if name in ("sudo", "doas", "chroot", "nsenter", "unshare") and not inner:
        return len(words) > 1 and not any(word.value in ("-v", "-k", "-K", "-l") for word in words)
    if name in ("xargs", "parallel", *FIND_PROGRAMS, *FD_PROGRAMS):
        return False
    return any(
        (found.words is not None and reads_script_from_input(found.words, depth + 1))
        or (found.text is not None and _text_reads_input(found.text, depth + 1))
        for found in inner
    )


_DEEPEST = 16
_LONGEST = 256
_NAMES_A_READER = re.compile(
    rf"(?:^|[\s/\\])(?:{'|'.join(map(re.escape, sorted(SCRIPT_READERS)))})(?:\.\w+)?/*(?=$|\s)"
)
"""Without such a name anywhere in its words a command reads no script: most are told by that at once."""
_INPUT_FILES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def _text_reads_input(text: str, depth: int) -> bool:
    plain = tuple(literal(piece) for piece in text.split())
    return reads_script_from_input(plain, depth)


def _shell_reads_input(words: tuple[ShellWord, ...]) -> bool:
    call = read_shell(words)
    if call.unclear is not None or call.rest >= len(words) or "s" in call.letters:
        return "c" not in call.letters
    return "c" not in call.letters and words[call.rest].value in _INPUT_FILES


def _inner(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    if name in SHELLS:
        yield from of_shell(name, words)
    elif name in OTHER_SHELLS:
        yield from of_other_shell(name, words)
    elif name == "eval":
        yield from text_of(words[2:] if is_word(words, 1, "--") else words[1:])
    elif name == "trap":
        yield from of_trap(words)
    elif name in FIND_PROGRAMS:
        yield from of_find(words)
    elif name in FD_PROGRAMS:
        yield from of_fd(words)
    elif name in CONTAINER_PROGRAMS or name == "docker-compose":
        yield from of_container(name, words)
    elif name in ("kubectl", "oc"):
        yield from of_kubectl(words)
    elif name in _SPECIAL:
        yield from _SPECIAL[name](words)
    elif name in WRAPPERS:
        yield from of_plain(name, WRAPPERS[name], words, 1)
    elif _LOADER.fullmatch(name):
        yield from of_plain(
            name, Wrapper(_LOADER_OPTIONS, idle=frozenset({"list", "verify"})), words, 1
        )
    elif len(words) > 2:
        yield from of_runner(name, words)


def _ssh(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    known = syntax(WRAPPERS["ssh"].options)
    read = leading_options(words, 1, known)
    if isinstance(read, str):
        yield unknown("ssh", read)
        return
    names = read.names
    position = read.rest + 1
    if position <= len(words) and (words[read.rest : position] and words[read.rest].splits):
        yield unknown("ssh", f"`{words[read.rest].text}` may be several words")
        return
    if position < len(words):
        read = leading_options(words, position, known)  # options may follow the host
        if isinstance(read, str):
            yield from text_of(words[position:])
            return
        names |= read.names
        position = read.rest
    if not names & WRAPPERS["ssh"].idle:
        yield from text_of(words[position:])


def _gdb(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    for position, word in enumerate(words):
        if is_known(word) and word.value in ("--args", "-args"):
            rest = words[position + 1 :]
            while rest and beginning(rest[0]).startswith("-"):
                rest = rest[1:]
            if rest:
                yield Inner(rest)


def _start_stop_daemon(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    program: ShellWord | None = None
    rest: tuple[ShellWord, ...] = ()
    for position, word in enumerate(words):
        if is_word(words, position, "--"):
            rest = words[position + 1 :]
            break
        begins = beginning(word)
        if begins in ("-a", "--startas", "-x", "--exec") and position + 1 < len(words):
            program = (
                words[position + 1] if program is None or begins in ("-a", "--startas") else program
            )
        elif begins.startswith(("--startas=", "--exec=")):
            program = after(word, begins.index("=") + 1)
    if program is not None:
        yield Inner((program, *rest))


def _entr(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    read = leading_options(words, 1, syntax(WRAPPERS["entr"].options))
    if isinstance(read, str):
        yield unknown("entr", read)
    elif "s" in read.names:
        yield from text_of(words[read.rest : read.rest + 1])
    elif words[read.rest :]:
        yield Inner(words[read.rest :])


def _hyperfine(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    known = syntax(
        "w/warmup= m/min-runs= M/max-runs= r/runs= s/setup= p/prepare= c/cleanup= S/shell= N i/ignore-failure? "
        "style= sort= u/time-unit= export-json= export-csv= export-markdown= export-asciidoc= "
        "export-orgmode= show-output output= input= n/command-name= C/conclude= reference= h/help V/version"
    )
    position = 1
    while position < len(words):
        read = leading_options(words, position, known)
        if isinstance(read, str) or read.names & {"shell"}:
            yield unknown("hyperfine", read if isinstance(read, str) else "it uses another shell")
            return
        for option in ("setup", "prepare", "cleanup", "conclude", "reference"):
            for value in read.values(option):
                yield from text_of((value,))
        yield from text_of(words[read.rest : read.rest + 1])
        position = read.rest + 1


def _expect(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    if any(beginning(word).startswith("-c") for word in words[1:]):
        yield unknown("expect", "its language is another than that of sh")


def _aws_vault(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    for position, _ in enumerate(words):
        if is_word(words, position, "--") and words[position + 1 :]:
            yield Inner(words[position + 1 :])
            return


_SPECIAL = {
    "aws-vault": _aws_vault,
    "bunx": of_npx,
    "entr": _entr,
    "env": of_env,
    "expect": _expect,
    "flock": of_flock,
    "git": of_git,
    "gcloud": of_gcloud,
    "gdb": _gdb,
    "hyperfine": _hyperfine,
    "ip": of_ip,
    "nice": of_nice,
    "npx": of_npx,
    "parallel": of_parallel,
    "runuser": of_su,
    "screen": of_screen,
    "script": of_script,
    "ssh": _ssh,
    "start-stop-daemon": _start_stop_daemon,
    "su": of_su,
    "tmux": of_tmux,
    "xargs": of_xargs,
}

_RUNNING = (
    frozenset({"eval", "trap", "docker-compose", "kubectl", "oc", *_SPECIAL})
    | SHELLS.keys()
    | OTHER_SHELLS
    | FIND_PROGRAMS
    | FD_PROGRAMS
    | CONTAINER_PROGRAMS
    | WRAPPERS.keys()
    | RUNNER_NAMES
    | RUNNING_BY_OPTIONS
    | {name for name, program in PROGRAMS.items() if program.fixed[:1] == (Use.SCRIPT,)}
)
"""All programs that may run another, but for the loader (`ld.so`) and names with a version."""

_ENDS_OF_A_VERSION = frozenset("0123456789.")

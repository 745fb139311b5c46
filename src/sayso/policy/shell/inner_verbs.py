"""Programs of which some verbs run a command: containers, pods and task runners."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import Inner, is_word, text_of, unknown
from sayso.policy.shell.inner_files import of_package
from sayso.policy.shell.inner_leading import of_plain
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.options import Reading, read
from sayso.policy.shell.words import after, beginning, is_known, literal
from sayso.policy.shell.wrapper_table import (
    COMPOSE_GLOBALS,
    CONTAINER_GLOBALS,
    CONTAINERS,
    FIRST_OPERAND,
    PACKAGE_RUNNERS,
    RUNNER_FOLDERS,
    RUNNER_TEXTS,
    RUNNERS,
    Wrapper,
)

_NPX_FLAGS = frozenset(
    {"-y", "--yes", "--no", "-q", "--quiet", "--no-install", "--ignore-existing", "exec", "x"}
)


_RUN_BY_GIT = re.compile(
    r"alias\..*|core\.(?:pager|editor|fsmonitor|sshcommand|askpass|gitproxy)|sequence\.editor|pager\..*|"
    r"diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|"
    r"credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|(?:difftool|mergetool|browser|man)\..*\.cmd|"
    r"remote\..*\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook"
)
"""Settings whose value git hands to a shell, in lower case."""


_VERBS = {
    name: frozenset(pair[1] for pair in (*RUNNERS, *PACKAGE_RUNNERS) if pair[0] == name)
    | ({"x"} if name == "npm" else frozenset())
    for name in {pair[0] for pair in (*RUNNERS, *PACKAGE_RUNNERS)}
}
"""The verbs by which a task runner runs a command."""

RUNNER_NAMES = frozenset(_VERBS)
"""The task runners."""

_SENDING = frozenset({"subtree", "send-pack", "http-push"})
"""Verbs of git that send commits to another repository as `push` does."""

_TELLING = frozenset({"bisect", "submodule", "config"}) | _SENDING


def of_container(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What runs in a container."""
    position = 1
    for known in (CONTAINER_GLOBALS, COMPOSE_GLOBALS):
        read = leading_options(words, position, syntax(known))
        if isinstance(read, str):
            if any(
                is_word(words, place, verb) for verb in CONTAINERS for place in range(len(words))
            ):
                yield unknown(name, read)
            return
        position = read.rest
        if is_word(words, position, "container") or is_word(words, position, "compose"):
            position += 1
    if position < len(words) and is_known(words[position]):
        found = CONTAINERS.get(words[position].value or "")
        if found is not None:
            yield from of_plain(name, found, words, position + 1)


def of_kubectl(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What runs in a pod."""
    verbs = [
        place for place, word in enumerate(words) if word.value in ("exec", "run", "debug", "rsh")
    ]
    if not verbs:
        return
    elsewhere = words[verbs[0]].value in ("run", "debug")
    for position in range(verbs[0], len(words)):
        if is_word(words, position, "--") and words[position + 1 :]:
            yield Inner(words[position + 1 :], elsewhere=elsewhere)
            return
    if words[verbs[0]].value in ("exec", "rsh"):
        known = syntax(
            "i/stdin t/tty q/quiet c/container= n/namespace= f/filename= context= kubeconfig="
        )
        read = leading_options(words, verbs[0] + 1, known)
        if isinstance(read, str):
            yield unknown("kubectl", read)
        elif words[read.rest + 1 :]:
            yield Inner(words[read.rest + 1 :])


def of_runner(name: str, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What a task runner runs."""
    place = _verb_of(name, words)
    if place is None:
        if any(word.value in _VERBS.get(name, ()) for word in words[2:]):
            yield unknown(name, "an option before its verb is not known")
        return
    pair = (name, words[place].value or "")
    if pair in PACKAGE_RUNNERS:
        known = syntax(PACKAGE_RUNNERS[pair])
        leading = leading_options(words, place + 1, known)
        if isinstance(leading, str):
            yield unknown(name, leading)
        else:
            yield from of_package(words[leading.rest :])
        return
    options = RUNNERS.get(pair)
    if options is None and pair[0] == "npm" and pair[1] == "x":
        options = RUNNERS["npm", "exec"]
    if options is None:
        return
    if name == "npm":
        calls = tuple(of_npx(words[place:]))
        named = any(is_word(words, place, "--") for place in range(len(words)))
        if not named or any(not call.covered for call in calls):
            yield from calls
            return
    text = RUNNER_TEXTS.get(pair)
    if text is not None:
        leading = leading_options(words, place + 1, syntax(options))
        if not isinstance(leading, str) and text in leading.names:
            yield from text_of(leading.values(text)[-1:])
            return
    operands = 1 if pair in FIRST_OPERAND else 0
    wrapper = Wrapper(options, operands, folder=RUNNER_FOLDERS.get(pair))
    yield from of_plain(name, wrapper, words, place + 1)


def _verb_of(name: str, words: tuple[ShellWord, ...]) -> int | None:
    """Where the verb of a task runner stands; None where options before it are not known."""
    if not beginning(words[1]).startswith("-"):
        return 1 if is_known(words[1]) else None
    if name not in _VERBS:
        return None
    reading = read(words)
    if not reading.operands:
        return None
    first = reading.operands[0]
    before = [option for option in reading.options if option.place < first.place]
    return first.place if is_known(first.word) and all(o.known for o in before) else None


def of_git(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What some verbs of git run, and what its settings have it run.

    An allow for git with any words means neither (POL-39), so that denies and asks alone are tried.
    """
    if not any(word.value in _TELLING or beginning(word)[:2] == "-c" for word in words):
        return
    reading = read(words)
    for option in reading.options:
        value = option.value
        if option.name != "git c" or value is None:
            continue
        name, equals, text = beginning(value).partition("=")
        if not is_known(value):
            if not equals or _RUN_BY_GIT.fullmatch(name.lower()):
                yield unknown("git", f"`{value.text}` may say so, and is known only then")
            continue
        if text and _RUN_BY_GIT.fullmatch(name.lower()):
            yield from _set_for_git(
                name, text, words[reading.operands[0].place :] if reading.operands else ()
            )
    named = [operand.word.value for operand in reading.operands[:2]]
    if named[:1] == ["config"]:
        given = [each.word.value for each in reading.operands[1:] if is_known(each.word)]
        given = given[1:] if given[:1] == ["set"] else given
        if len(given) > 1 and _RUN_BY_GIT.fullmatch((given[0] or "").lower()):
            yield from _set_for_git(given[0] or "", given[1] or "", ())
    place = reading.operands[1].place + 1 if len(named) > 1 else 0
    if named == ["bisect", "run"] and words[place:]:
        yield Inner(words[place:])
    elif named == ["submodule", "foreach"] and words[place:]:
        rest = words[place:]
        while rest and rest[0].value in ("--quiet", "-q", "--recursive"):
            rest = rest[1:]
        yield from text_of(rest)
    elif named[:1] and named[0] in _SENDING:
        yield from _sent(reading, words)


def _sent(reading: Reading, words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """A verb that sends commits, as the `push` that it is."""
    verb, *rest = reading.operands
    taken = {verb.place}
    if verb.word.value == "subtree":
        for operand in rest:
            if operand.word.value == "push":
                taken.add(operand.place)
                break
            if not operand.maybe:
                return
        else:
            return
    kept = [word for place, word in enumerate(words) if place > verb.place and place not in taken]
    yield Inner((literal("git"), literal("push"), *kept), covered=True)


def _set_for_git(name: str, text: str, called: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """What a setting has git run: another program, or for an alias another verb of its own."""
    if not name.lower().startswith("alias.") or text.startswith("!"):
        yield Inner(text=text.removeprefix("!"), elsewhere=True)
        return
    alias = name.partition(".")[2]
    if called and called[0].value != alias:
        return
    try:
        pieces = [literal(piece) for piece in shlex.split(text)]
    except ValueError:
        return
    if not pieces or pieces[0].value == alias:
        return
    yield Inner((literal("git"), *pieces, *called[1:]), elsewhere=True)


def of_npx(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The text of `-c`, which stands before the package, or the program of the package."""
    operand = True
    for position, word in enumerate(words[1:], start=2):
        begins = beginning(word)
        if begins == "--" or (operand and is_known(word) and not begins.startswith("-")):
            yield from of_package(words[position if begins == "--" else position - 1 :])
            return
        operand = begins in _NPX_FLAGS or not begins.startswith("-") or "=" in begins
        if begins.startswith("--call="):
            yield from text_of((after(word, 7),))
        elif begins in ("-c", "--call"):
            yield from text_of(words[position : position + 1])
        elif not is_known(word) and not begins:
            yield unknown("npx", f"`{word.text}` may be an option")
            return

"""Adding a rule to a settings file and taking one out, in place: comments and order stay (POL-64)."""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sayso.config.reading import Document, parse_document, read_file
from sayso.config.settings import parse_settings
from sayso.config.writing import YOURS_TO_READ, alone, replace_file
from sayso.core.effect import Effect
from sayso.errors import RuleNotFound, SettingsInvalid
from sayso.policy.dialects.settings_text import is_plain, print_table
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule
from sayso.system.places import private_directory

TABLE = "permissions"


@dataclass(frozen=True, slots=True)
class Edit:
    """What an edit did: the line the rule stands in (or stood in), from 1, and the file's new text.

    `changed` is False where the rule stood there already, and nothing was written.
    """

    path: Path
    line: int
    text: str
    changed: bool = True


def add_rule(
    path: Path,
    effect: Effect,
    text: str,
    *,
    check: Callable[[Path, bytes], object] | None = None,
    head: str = "",
) -> Edit:
    """Add a text rule to the list of its effect in a settings file, which is made if it is not there.

    `head` is what a new file begins with, a comment say. `check` reads the file as it is used (by
    default as the user's settings) and raises SettingsInvalid. Raises RuleSyntaxError for a rule that
    cannot be read, and SettingsInvalid for a file that is invalid, cannot be written, cannot be edited
    in place, or changed in the meantime.
    """
    rule = parse_text_rule(effect, text, Origin.GLOBAL)
    return _edit(
        path, check or parse_settings, lambda found: _added(found, effect, rule.text), head
    )


def add_rules(
    path: Path,
    rules: Iterable[Rule],
    *,
    check: Callable[[Path, bytes], object] | None = None,
    head: str = "",
    links: bool = True,
) -> int:
    """Add rules to a settings file in one edit, and tell how many of them did not stand there yet.

    One with more to it than its text becomes a `[[rule]]` at the end of the file. Without `links` one
    that is a link is refused: in a project somebody else chose where it leads. See `add_rule`; raises
    RuleRefused for a rule that a settings file cannot hold.
    """
    rules = tuple(rules)
    added = 0

    def change(document: Document) -> Edit:
        nonlocal added

        def add(rule: Rule) -> None:
            nonlocal document, added
            if is_plain(rule):
                edit = _added(document, rule.effect, rule.text)
            else:
                edit = _with_table(document, rule)
            if edit.changed:
                document = parse_document(path, edit.text.encode())
                added += 1

        plain = [rule for rule in rules if is_plain(rule)]
        for rule in {rule.effect: rule for rule in reversed(plain)}.values():
            add(rule)  # so that the list of each effect is there
        together = _appended(document, plain)
        if together is None:
            for rule in plain:
                add(rule)
        else:
            document, many = together
            added += many
        for rule in rules:
            if not is_plain(rule):
                add(rule)
        return Edit(path, 1, document.text, changed=added > 0)

    _edit(path, check or parse_settings, change, head, links=links)
    return added


def remove_rule(
    path: Path, effect: Effect, text: str, *, check: Callable[[Path, bytes], object] | None = None
) -> Edit:
    """Take a text rule out of the list of its effect, however often and in whichever spelling it stands there.

    Raises RuleNotFound if it does not stand there, and what `add_rule` raises.
    """
    rule = parse_text_rule(effect, text, Origin.GLOBAL)
    return _edit(path, check or parse_settings, lambda found: _removed(found, effect, rule.text))


def _added(document: Document, effect: Effect, text: str) -> Edit:
    where = _places(document, effect, text)
    if where:
        line, _ = document.positions.of_value((TABLE, effect.word, where[0]))
        return Edit(document.path, line, document.text, changed=False)
    wanted = deepcopy(document.data)
    rules = wanted.setdefault(TABLE, {}).setdefault(effect.word, [])
    rules.append(text)
    attempts = (_into_list, _after_the_last, _below_header, _into_table, _at_the_end)
    for attempt in attempts:
        with contextlib.suppress(TOMLKitError, tomllib.TOMLDecodeError, KeyError, TypeError):
            new = attempt(document, effect.word, text)
            if new is not None and tomllib.loads(new) == wanted:
                return _told(document, new, (TABLE, effect.word, len(rules) - 1))
    raise _by_hand(document)


def _appended(document: Document, rules: Iterable[Rule]) -> tuple[Document, int] | None:
    """The file with text rules at the end of lists that are there, and how many; None if that fails."""
    new: dict[str, list[str]] = {}
    for effect in Effect:
        listed = document.data.get(TABLE, {}).get(effect.word)
        if listed:
            known = {parse_text_rule(effect, text, Origin.GLOBAL).text for text in listed}
            wanted = dict.fromkeys(rule.text for rule in rules if rule.effect is effect)
            new[effect.word] = [text for text in wanted if text not in known]
    wanted_data = deepcopy(document.data)
    with contextlib.suppress(TOMLKitError, tomllib.TOMLDecodeError, KeyError, TypeError):
        parsed: Any = tomlkit.parse(document.text)
        for word, texts in new.items():
            wanted_data[TABLE][word] += texts
            for text in texts:
                parsed[TABLE][word].append(text)
        written = _same_line_ends(document.text, tomlkit.dumps(parsed))
        if tomllib.loads(written) == wanted_data:
            count = sum(len(texts) for texts in new.values())
            return parse_document(document.path, written.encode()), count
    return None


def _with_table(document: Document, rule: Rule) -> Edit:
    """The file with a `[[rule]]` at its end, unless one that says the same stands there."""
    table = print_table(rule)
    [wanted] = tomllib.loads(table)["rule"]
    found = document.data.get("rule", [])
    if wanted in found:
        return Edit(document.path, 1, document.text, changed=False)
    newline = _newline(document.text)
    before = document.text.rstrip("\r\n")
    gap = newline * 2 if before else ""
    new = f"{before}{gap}{table.replace(chr(10), newline)}{newline}"
    with contextlib.suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(new) == {**document.data, "rule": [*found, wanted]}:
            return _told(document, new, ("rule", len(found)))
    raise _by_hand(document)


def _removed(document: Document, effect: Effect, text: str) -> Edit:
    where = _places(document, effect, text)
    if not where:
        hint = f"see what stands there: sayso policy list, or look into {document.path}"
        raise RuleNotFound(f"`{effect.word} {text}` does not stand in a list of the file", hint)
    line, _ = document.positions.of_value((TABLE, effect.word, where[0]))
    wanted = deepcopy(document.data)
    with contextlib.suppress(TOMLKitError, tomllib.TOMLDecodeError, KeyError, TypeError):
        parsed = tomlkit.parse(document.text)
        rules: Any = parsed[TABLE][effect.word]
        for number in reversed(where):
            del wanted[TABLE][effect.word][number]
            del rules[number]
        new = _same_line_ends(document.text, tomlkit.dumps(parsed))
        if tomllib.loads(new) == wanted:
            return Edit(document.path, line, new)
    raise _by_hand(document)


def _places(document: Document, effect: Effect, text: str) -> list[int]:
    """Where in the list of its effect a rule stands, in whichever spelling."""
    found = document.data.get(TABLE, {}).get(effect.word, [])
    return [
        number
        for number, written in enumerate(found)
        if parse_text_rule(effect, written, Origin.GLOBAL).text == text
    ]


def _into_list(document: Document, word: str, text: str) -> str | None:
    if word not in document.data.get(TABLE, {}):
        return None
    parsed = tomlkit.parse(document.text)
    rules: Any = parsed[TABLE][word]
    rules.append(text)
    return _same_line_ends(document.text, tomlkit.dumps(parsed))


def _after_the_last(document: Document, word: str, text: str) -> str | None:
    """The rule right behind the last one of its list."""
    rules = document.data.get(TABLE, {}).get(word)
    if not rules:
        return None
    end = document.positions.end_of_text((TABLE, word, len(rules) - 1))
    return f"{document.text[:end]}, {tomlkit.string(text).as_string()}{document.text[end:]}"


def _below_header(document: Document, word: str, text: str) -> str | None:
    """The list as the first line of its table, where nothing written below can be torn apart."""
    at = document.positions.keys.get((TABLE,))
    if at is None or document.text[at] != "[":
        return None
    end = document.text.find("\n", at)
    head, rest = (
        (document.text + "\n", "")
        if end < 0
        else (document.text[: end + 1], document.text[end + 1 :])
    )
    return f"{head}{_list(word, text)}{_newline(document.text)}{rest}"


def _into_table(document: Document, word: str, text: str) -> str | None:
    if TABLE not in document.data:
        return None
    parsed = tomlkit.parse(document.text)
    table: Any = parsed[TABLE]
    table[word] = [text]
    return _same_line_ends(document.text, tomlkit.dumps(parsed))


def _at_the_end(document: Document, word: str, text: str) -> str:
    newline = _newline(document.text)
    before = document.text
    if before and not before.endswith("\n"):
        before += newline
    gap = newline if before else ""
    return f"{before}{gap}[{TABLE}]{newline}{_list(word, text)}{newline}"


def _list(word: str, text: str) -> str:
    return f"{word} = [{tomlkit.string(text).as_string()}]"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _same_line_ends(before: str, after: str) -> str:
    """The text with the line ends of the file it came from, where those are all alike."""
    if "\r\n" not in before or before.count("\r\n") != before.count("\n"):
        return after
    return after.replace("\r\n", "\n").replace("\n", "\r\n")


def _told(document: Document, text: str, path: tuple[str | int, ...]) -> Edit:
    line, _ = parse_document(document.path, text.encode()).positions.of_value(path)
    return Edit(document.path, line, text)


def _by_hand(document: Document) -> SettingsInvalid:
    line, column = document.positions.of_key((TABLE,))
    return SettingsInvalid(
        f"{document.path}:{line}:{column}: the list cannot be edited in place",
        "edit it by hand, or write [permissions] with its lists in the usual form",
    )


def _edit(
    path: Path,
    check: Callable[[Path, bytes], object],
    change: Callable[[Document], Edit],
    head: str = "",
    *,
    links: bool = True,
) -> Edit:
    real = Path(os.path.realpath(path))  # a link stays a link: what it leads to is written
    if not links and real != Path(os.path.realpath(path.parent), path.name):
        raise SettingsInvalid(
            f"{path}:1:1: the file is a link, and a project's link is not written through",
            "put the file itself there",
        )
    try:
        if not real.parent.exists():
            private_directory(real.parent)
        with alone(real.parent):
            before = read_file(real, YOURS_TO_READ)
            found = head.encode() if before is None else before
            check(path, found)
            edit = change(parse_document(path, found))
            if edit.changed:
                after = edit.text.encode()
                check(path, after)
                replace_file(real, before, after, shown=path)
            return edit
    except OSError as error:
        raise SettingsInvalid(
            f"{path}:1:1: the file cannot be edited: {error.strerror or error}",
            "give yourself the right to write it and its directory",
        ) from error

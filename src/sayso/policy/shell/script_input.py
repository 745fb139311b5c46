"""What a command reads from its input, where the line shows it: commands may reach a shell that way."""

from __future__ import annotations

from sayso.policy.shell import syntax as s
from sayso.policy.shell.word_values import Surroundings, quoted_value, values
from sayso.policy.shell.words import is_known


def script_from(
    redirects: tuple[s.Redirect, ...], before: str | None, around: Surroundings
) -> str | None:
    """The text that redirections give to a command, `before` where they give none; None = not known."""
    text = before
    for redirect in redirects:
        if redirect.sign[0] != "<" or redirect.descriptor not in {"", "0"}:
            if redirect.descriptor == "0":
                text = None
            continue
        if redirect.sign == "<<" and redirect.body is not None:
            text = quoted_value(redirect.body, around)
        elif redirect.sign == "<<-" and redirect.body is not None:
            whole = quoted_value(redirect.body, around)
            text = None if whole is None else "\n".join(x.lstrip("\t") for x in whole.split("\n"))
        elif redirect.sign == "<<<":
            whole = quoted_value(redirect.target, around)
            text = None if whole is None else whole + "\n"
        else:
            text = None
    return text


def text_written(statement: s.Statement, around: Surroundings) -> str | None:
    """What a part of a pipeline surely writes for the next one; None = not known."""
    command = statement.command
    if not isinstance(command, s.Simple) or command.assigns or not command.words:
        return None
    if any(redirect.sign not in {"<<", "<<-", "<<<"} for redirect in statement.redirects):
        return None
    found = [value for word in command.words for value in values(word, around)]
    if not all(is_known(word) for word in found):
        return None
    name, *operands = [word.value or "" for word in found]
    if name == "cat" and operands in ([], ["-"]) and statement.redirects:
        return script_from(statement.redirects, None, around)
    if name == "echo":
        newline = "\n"
        if operands[:1] == ["-n"]:
            operands, newline = operands[1:], ""
        text = " ".join(operands)
        # Some shells undo escapes in it, and options may follow.
        return None if "\\" in text or text.startswith("-") else text + newline
    if name == "printf" and operands:
        first, *rest = operands
        if first.replace("\\n", "\n") == "%s\n" and rest:
            return "".join(f"{line}\n" for line in rest)
        if not rest and "%" not in first and not first.startswith("-"):
            text = first.replace("\\n", "\n")
            return None if "\\" in text else text
    return None

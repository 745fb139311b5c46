"""Rules on a command line, in the words every command that runs agents shares (POL-60)."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter


def _rules(flag: str, does: str) -> Parameter:
    return Parameter(
        name=f"--{flag}",
        negative="",
        show_default=False,
        help=f"A further rule that {does}, as kind(pattern); repeatable.",
    )


AllowRules = Annotated[tuple[str, ...], _rules("allow", "allows")]
AskRules = Annotated[tuple[str, ...], _rules("ask", "asks")]
DenyRules = Annotated[tuple[str, ...], _rules("deny", "denies")]

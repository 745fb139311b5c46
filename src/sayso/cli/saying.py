"""What commands say on standard error: labelled, and with nothing in it that could move a cursor."""

from __future__ import annotations

import os
import sys

from sayso.errors import SaysoError

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "hint": "\x1b[1m"}


def complain(error: SaysoError) -> None:
    """Print an error and its hint."""
    say("error", error.message)
    if error.hint is not None:
        say("hint", error.hint)


def say(label: str, text: str) -> None:
    """Print a message under a label: `error`, `warning` or `hint`."""
    from sayso.channels.display import safe  # not before something has to be said

    plain = not sys.stderr.isatty() or "NO_COLOR" in os.environ
    shown = f"{label}:" if plain else f"{_COLOURS[label]}{label}:\x1b[0m"
    print(f"{shown} {safe(text)}", file=sys.stderr)


def quiet_logs() -> None:
    """Log nothing of what the command says in its own words: what is wrong with the rules, for one."""
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

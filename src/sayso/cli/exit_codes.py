"""What the exit status of `sayso` means; docs/reference/cli.md has the same table."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit statuses, the same for every command."""

    OK = 0
    FAILURE = 1
    """It could not be done; the message says what to do next."""
    REFUSED = 2
    """The credential is missing, wrong or does not give the right, or the request is closed."""
    INVALID = 3
    """Settings, rules, cases or the audit log are not valid, or an address cannot be listened on."""
    USAGE = 64
    """The command line itself is wrong: an unknown command or option, a value that does not fit."""
    INTERRUPTED = 130

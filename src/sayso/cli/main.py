"""The command `sayso`: it finds the sub-command, and turns what goes wrong into a message and an exit status."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from cyclopts import App
from cyclopts.exceptions import CycloptsError

from sayso.cli.exit_codes import ExitCode
from sayso.cli.saying import complain, say
from sayso.errors import AccessError, CasesInvalid, RequestClosed, SaysoError, SettingsInvalid

HELP = "The permission gate for AI agents: nothing an agent does happens without your say-so."

COMMANDS = {
    "answer": "Answer a question, a plan or a form that waits.",
    "approve": "Approve a request that waits.",
    "ask-back": "Ask the agent something about a request that waits.",
    "audit": "Read and verify the audit log.",
    "break-glass": "Run a call in an emergency without the votes it lacks.",
    "contexts": "List, add, change and remove run contexts.",
    "db": "Back up, restore, check and bring up to date the database; delete arguments.",
    "demo": "See it in a minute: server, page and a scripted agent; no key, no network.",
    "doctor": "Check this installation and say what to mend.",
    "freeze": "Refuse every call of every agent, or of one, at once.",
    "grants": "List what people had remembered, take it back, carry it elsewhere.",
    "inbox": "See what waits for people.",
    "mcp": "Gate an MCP server: sayso mcp -- COMMAND …",
    "mode": "Show the mode of a session, or switch it.",
    "passphrase": "Choose, change or reset the passphrase.",
    "people": "List, add, change and remove the people who can decide.",
    "policy": "Check, explain, test and change what policy says.",
    "receipts": "Show the key with which receipts of approved calls are checked.",
    "reject": "Reject a request that waits.",
    "review-glass": "Review what somebody ran without its votes.",
    "roles": "List, add, change and remove roles.",
    "serve": "Run the server and its page.",
    "snooze": "Put a request that waits off: not now.",
    "thaw": "End what was frozen.",
    "tokens": "Make, list and revoke the tokens of agents, approvers and admins.",
    "trust": "Look at what a project's settings loosen, and let it count.",
}
"""The commands and what each is for; a command's module is imported when it is used."""

_WHICH_THERE_ARE = re.compile(r" Available commands: .*$", re.DOTALL)
_MISSING = re.compile(r"^command `(.+)` parameter (\S+) requires an argument$")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `sayso`; exits with the command's status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(words))


def make_app(chosen: str | None) -> App:
    """The application; `chosen` is the command that is about to be used, if any."""
    app = App(name="sayso", help=HELP, version=_version, help_format="plaintext")
    for name, words in COMMANDS.items():
        # The chosen one speaks for itself, at length.
        app.command(
            f"sayso.cli.commands.{name.replace('-', '_')}:app",
            name=name,
            help=None if name == chosen else words,
        )
    return app


def exit_code_of(error: SaysoError) -> ExitCode:
    """The exit status that an error ends a command with."""
    if isinstance(error, (AccessError, RequestClosed)):
        return ExitCode.REFUSED
    if isinstance(error, (SettingsInvalid, CasesInvalid)):
        return ExitCode.INVALID
    return ExitCode.FAILURE


def _run(words: list[str]) -> int:
    app = make_app(words[0] if words else None)
    try:
        result = app(words, print_error=False, exit_on_error=False, result_action="return_value")
        if not sys.stdout.closed:  # the gateway writes to it itself, and closes it at its end
            sys.stdout.flush()
    except SaysoError as error:
        complain(error)
        return exit_code_of(error)
    except CycloptsError as error:
        _usage(error)
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone: nothing is left to say, and nothing went wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except OSError as error:
        say("error", f"`{error.filename}`: {error.strerror}" if error.filename else str(error))
        say("hint", "see whether it is there and yours to use: sayso doctor")
        return ExitCode.FAILURE
    return int(result) if isinstance(result, int) else ExitCode.OK


def _usage(error: CycloptsError) -> None:
    """Print what is wrong with the command line, in the words of all other errors."""
    text = _WHICH_THERE_ARE.sub("", str(error).strip().replace('"', "`")).removesuffix(".")
    say("error", _MISSING.sub(r"`sayso \1` needs \2", text[:1].lower() + text[1:]))
    say("hint", f"see: {' '.join(['sayso', *(error.command_chain or ())])} --help")


def _version() -> str:
    from importlib.metadata import version

    return version("sayso")


if __name__ == "__main__":
    main()

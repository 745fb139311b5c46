"""The command `sayso`: it finds the sub-command, and turns what goes wrong into a message and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version

from cyclopts import App
from rich.console import Console

from sayso.cli.exit_codes import ExitCode
from sayso.errors import AccessError, RequestClosed, SaysoError, SettingsInvalid

app = App(
    name="sayso",
    help="The permission gate for AI agents: nothing an agent does happens without your say-so.",
    version=version("sayso"),
    help_format="plaintext",
)
for _name, _help in {
    "approve": "Approve a request that waits (needs the passphrase or an approver's token).",
    "audit": "Read and verify the audit log.",
    "demo": "See it in a minute: a server, its page, and a scripted agent. No key, no network.",
    "doctor": "Check this installation and say what to mend.",
    "inbox": "What waits for people.",
    "mcp": "Gate an MCP server: sayso mcp -- COMMAND …",
    "passphrase": "Choose or reset the owner's passphrase.",
    "reject": "Reject a request that waits (needs the passphrase or an approver's token).",
    "serve": "Run the server and its page.",
    "tokens": "Make, list and revoke the tokens of agents, approvers and admins.",
}.items():
    app.command(f"sayso.cli.commands.{_name}:app", name=_name, help=_help)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `sayso`; exits with the command's status."""
    try:
        result = app(arguments, result_action="return_value")
    except SaysoError as error:
        complain(error)
        sys.exit(exit_code_of(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # whoever read our output has gone: nothing left to say, and nothing went wrong
        sys.stderr.close()
        sys.exit(ExitCode.OK)
    sys.exit(int(result) if isinstance(result, int) else ExitCode.OK)


def complain(error: SaysoError) -> None:
    """Print an error and its hint on standard error."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print("error: ", style="bold red", end="")
    console.print(error.message, markup=False)
    if error.hint is not None:
        console.print("hint: ", style="bold", end="")
        console.print(error.hint, markup=False)


def exit_code_of(error: SaysoError) -> ExitCode:
    """The exit status that an error ends a command with."""
    if isinstance(error, (AccessError, RequestClosed)):
        return ExitCode.REFUSED
    if isinstance(error, SettingsInvalid):
        return ExitCode.INVALID
    return ExitCode.FAILURE


if __name__ == "__main__":
    main()

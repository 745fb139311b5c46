"""`sayso policy explain -- COMMAND…`: what policy says of a call, why, and what would change it (POL-71)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from sayso.broker.rule_source import given_rules
from sayso.broker.session_rules import flag_rules
from sayso.channels.display import safe
from sayso.cli.acting import AsJson
from sayso.cli.commands.policy.flags import SettingsFile
from sayso.cli.commands.policy.looking import look
from sayso.cli.flags import AllowRules, AskRules, DenyRules
from sayso.cli.saying import say
from sayso.core.call import parse_arguments
from sayso.errors import CallInvalid
from sayso.front.rules_in_force import rules_of_file
from sayso.gate.explain import explain as explained
from sayso.gate.made_up import MadeUpCall, decide_made_up
from sayso.system.clock import SystemClock
from sayso.system.facts import LocalFacts

SHELL_TOOL = "execute_cmd"


def explain(
    *command: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="A command line, after --.")
    ],
    tool: Annotated[
        str | None, Parameter(help="Another call than a command line: the tool's name.")
    ] = None,
    server: Annotated[str | None, Parameter(help="The MCP server of the tool.")] = None,
    arg: Annotated[
        tuple[str, ...],
        Parameter(
            name="--arg", negative="", show_default=False, help="An argument, as NAME=VALUE."
        ),
    ] = (),
    json_args: Annotated[str | None, Parameter(help="All arguments, as a JSON object.")] = None,
    workspace: Annotated[
        Path | None, Parameter(help="The working directory of the call; by default this one.")
    ] = None,
    group: Annotated[str, Parameter(help="The permission group of the session.")] = "default",
    agent: Annotated[str, Parameter(show_default=False, help="The agent that calls.")] = "",
    source: Annotated[str, Parameter(help="Where the call comes from.")] = "api",
    user: Annotated[str, Parameter(help="The user that the agent works for.")] = "owner",
    file: SettingsFile = None,
    allow: AllowRules = (),
    ask: AskRules = (),
    deny: DenyRules = (),
    as_json: AsJson = False,
) -> int:
    """Say what policy says of a call, why, and what would change it.

    A command line is written after --: as one word it is read as it is, as
    several it is what those words are. For other tools: --tool, with --arg or
    --json-args. Modes and grants are left out, and nothing is run or asked.
    """
    extra = given_rules(flag_rules(allow=allow, ask=ask, deny=deny))
    name, arguments = _what(command, tool, arg, json_args)
    where = str((workspace or Path.cwd()).absolute())
    if not Path(where).is_dir():
        say(
            "warning",
            f"`{where}` is no folder that is there: no settings of a project count, and no links",
        )
    made_up = MadeUpCall(
        name,
        arguments,
        server=server,
        workspace=where,
        agent_id=agent,
        user_id=user,
        source=source,
        group=group,
    )
    facts = LocalFacts()
    if file is not None:
        rules = rules_of_file(file, facts, extra)
    else:
        rules = look(where, extra).rules
    verdict = decide_made_up(made_up, rules, facts, SystemClock().now())
    if as_json:
        print(json.dumps({"tool": name, "arguments": arguments, **verdict.to_json()}, indent=2))
    else:
        print(safe(explained(verdict)))
    return 0


def _what(
    command: tuple[str, ...], tool: str | None, arg: tuple[str, ...], json_args: str | None
) -> tuple[str, dict[str, Any]]:
    """The tool that is called, and its arguments."""
    if json_args is not None and arg:
        raise CallInvalid("both --arg and --json-args are given", "write all of them as JSON")
    arguments: dict[str, Any] = {} if json_args is None else parse_arguments(json_args)
    for item in arg:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise CallInvalid(f"`{item[:64]}` is not an argument", "write it as NAME=VALUE")
        arguments[name] = value
    if tool is None and not command:
        raise CallInvalid(
            "there is no call to explain",
            "write a command line after --, or name a tool: --tool read_file --arg path=x",
        )
    if not command:
        return tool or SHELL_TOOL, arguments
    if arguments:
        raise CallInvalid("a command line takes no arguments", "leave out --arg and --json-args")
    line = command[0] if len(command) == 1 else shlex.join(command)
    return tool or SHELL_TOOL, {"command": line}

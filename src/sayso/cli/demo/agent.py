"""An agent whose model is a script: it wants to read, to pry and to write, each through the gate."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sayso.broker.ports import GatePort, Standing
from sayso.broker.run import run
from sayso.core.session import CallDraft
from sayso.errors import CallAlreadyRan, CallDenied, CallRejected

NOTES = "Numbers of the week: 12 orders, 3 returns.\n"
REPORT = "# Weekly report\n\n12 orders came in and 3 went back.\n"

RULES = (("allow", "read(notes.txt)"), ("deny", "path(vault)"))
"""The rules of the demo: reading the notes is fine, the vault is nobody's business, the rest asks."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the script does: a tool with its arguments, and what the agent says about it."""

    tool: str
    arguments: Mapping[str, Any]
    words: str


SCRIPT = (
    Step("read_file", {"path": "notes.txt"}, "I read the notes to write the report."),
    Step("read_file", {"path": "vault/key.txt"}, "I look whether there is a key I could use."),
    Step("write_file", {"path": "report.md", "content": REPORT}, "I write the weekly report."),
)


@dataclass(frozen=True, slots=True)
class Told:
    """What the demo prints of a step: `allowed`, `denied`, `asked`, `ran`, `rejected` or `failed`."""

    word: str
    step: Step
    text: str
    call_id: str = ""
    code: str = ""


def prepare(folder: Path) -> None:
    """Put the demo's files into an empty folder."""
    (folder / "vault").mkdir(parents=True)
    (folder / "notes.txt").write_text(NOTES)
    (folder / "vault" / "key.txt").write_text("not for agents\n")


async def play(gate: GatePort, folder: Path, tell: Callable[[Told], Awaitable[None]]) -> None:
    """Run the script once, telling each thing that happens."""
    for step in SCRIPT:
        draft = CallDraft(step.tool, step.arguments, detail=step.words, diff=_diff(folder, step))

        async def execute(judged: Mapping[str, Any], step: Step = step) -> str:
            return _use_tool(folder, step.tool, judged)

        asked = False

        async def on_asked(standing: Standing, step: Step = step) -> None:
            nonlocal asked
            asked = True
            words = "waits for a person"
            await tell(Told("asked", step, words, standing.call_id, standing.code))

        try:
            result = await run(gate, draft, execute, describe=str, on_asked=on_asked)
        except CallDenied as error:
            await tell(Told("denied", step, error.message, error.request_id))
        except (CallRejected, CallAlreadyRan) as error:
            await tell(Told("rejected", step, error.message, error.request_id))
        except OSError as error:
            await tell(Told("failed", step, str(error)))
        else:
            await tell(Told("ran" if asked else "allowed", step, result))


def _use_tool(folder: Path, tool: str, arguments: Mapping[str, Any]) -> str:
    path = folder / str(arguments["path"])
    if tool == "read_file":
        return f"read {len(path.read_text())} characters"
    content = str(arguments["content"])
    path.write_text(content)
    return f"wrote {len(content)} characters to {path.name}"


def _diff(folder: Path, step: Step) -> str | None:
    if step.tool != "write_file":
        return None
    name = str(step.arguments["path"])
    path = folder / name
    before = path.read_text() if path.is_file() else ""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        str(step.arguments["content"]).splitlines(keepends=True),
        f"a/{name}",
        f"b/{name}",
    )
    return "".join(lines)

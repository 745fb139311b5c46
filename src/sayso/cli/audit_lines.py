"""The audit log for people: one line an entry, days as heads, paths from the call's workspace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sayso.audit.chain import Entry
from sayso.channels.display import one_line, plain, show
from sayso.cli.table import fit

MOST_TARGETS = 3

_KINDS = {"configuration": "config"}
_PLACE = re.compile(r"\((?:/[^()]*)?/([^/()]+:\d+:\d+)\)$")
"""The file, line and column that a rule of the settings stands at."""


def lines(entries: Iterable[Entry], workspaces: Mapping[str, str | None]) -> Iterator[str]:
    """The lines of entries; `workspaces` says for each call's id which directory it worked in."""
    day = ""
    for entry in entries:
        record: dict[str, Any] = json.loads(entry.body)
        if record["at"][:10] != day:
            day = record["at"][:10]
            yield f"{day}, times are UTC"
        workspace = workspaces.get(record.get("call_id", ""))
        yield fit(f"{entry.seq:>6}  {record['at'][11:19]}  {_shown(_words(record, workspace))}")


def story(entries: Iterable[Entry]) -> Iterator[str]:
    """Everything that entries say, a field a line, with their place in the chain."""
    for place, entry in enumerate(entries):
        record: dict[str, Any] = json.loads(entry.body)
        if place:
            yield ""
        yield _shown(f"{record.pop('at')}  {record.pop('kind')}")
        for name, value in record.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield _shown(f"  {name:10}  {text}")
        yield f"  {'entry':10}  {entry.seq}:{entry.hash}"


def _words(record: Mapping[str, Any], workspace: str | None) -> str:
    kind = str(record["kind"])
    head = f"{_KINDS.get(kind, kind):10}"
    if kind == "outcome":
        result, what = record.get("reason", ""), record.get("outcome", "")
        return f"{head}  {result:7}  {record.get('tool', '')} · {what}"
    effect = record.get("effect", "")
    if kind == "review":
        effect, why = record.get("reason", ""), ""
    else:
        why = record.get("reason", "")
    call = " ".join([record.get("tool", ""), *_targets(record, workspace)]).strip()
    remarks = [why, _rule(record.get("rule", "")), record.get("by") or ""]
    comment = record.get("comment")
    remarks += [
        f"“{comment}”" if comment else "",
        record.get("outcome") or "",
        record.get("note") or "",
    ]
    said = " · ".join(part for part in [call, *remarks] if part)
    return f"{head}  {effect:7}  {said}"


def _targets(record: Mapping[str, Any], workspace: str | None) -> list[str]:
    found = [target for target in record.get("targets", []) if target != record.get("tool")]
    more = [f"and {len(found) - MOST_TARGETS} more"] if len(found) > MOST_TARGETS else []
    return [_from(target, workspace) for target in found[:MOST_TARGETS]] + more


def _from(target: str, workspace: str | None) -> str:
    """A path inside the workspace as seen from there."""
    inside = workspace is not None and target.startswith(f"{workspace.rstrip('/')}/")
    return target[len(workspace.rstrip("/")) + 1 :] if inside and workspace else target


def _rule(text: str) -> str:
    return _PLACE.sub(r"(\1)", text)


def _shown(text: str) -> str:
    return plain(one_line(show(text)))

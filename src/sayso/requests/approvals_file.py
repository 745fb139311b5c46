"""`approvals.json`: grants as other installations read and write them (REQ-53).

Only what was granted for always is in it; a label in it is for people who read it and is never believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sayso.core.moment import Moment, from_rfc3339, to_rfc3339
from sayso.core.strict_json import parse_json
from sayso.errors import ApprovalsInvalid, CallInvalid, KeyInvalid
from sayso.requests.key import Key, KeyKind, parse_key
from sayso.requests.standing_grant import KeyGrant

VERSION = 1
MAX_RULES = 10_000
_FIELDS = {"key", "label", "added"}
_MEND = "export the grants anew, or take the file away"


class Approval(NamedTuple):
    """One grant of a file: its key, and when it was given."""

    key: Key
    added: Moment


def write_approvals(grants: Iterable[KeyGrant]) -> str:
    """The text of a file with these grants, sorted by key.

    Left out are vetoes, those of one session, and those that are bound to the definition of a server's
    tool while their key does not name it: read back, they would hold for every tool.
    """
    kept = {
        grant.key.text: grant
        for grant in grants
        if not grant.veto
        and grant.session_id is None
        and (grant.definition is None or grant.key.kind is KeyKind.MCP)
    }
    rules = [
        {"key": text, "label": grant.key.label, "added": to_rfc3339(grant.given_at)}
        for text, grant in sorted(kept.items())
    ]
    return json.dumps({"version": VERSION, "rules": rules}, indent=2, ensure_ascii=True) + "\n"


def read_approvals(raw: bytes) -> tuple[Approval, ...]:
    """The grants of a file, each key once; raises ApprovalsInvalid, which says what is wrong where."""
    try:
        document = parse_json(raw, "file of grants")
    except CallInvalid as error:
        raise ApprovalsInvalid(error.message, _MEND) from error
    if not isinstance(document, dict) or set(document) != {"version", "rules"}:
        raise _wrong("it is not an object with `version` and `rules`")
    if document["version"] != VERSION or isinstance(document["version"], bool):
        raise _wrong(f"its version is not {VERSION}")
    rules = document["rules"]
    if not isinstance(rules, list) or len(rules) > MAX_RULES:
        raise _wrong(f"`rules` is not a list of at most {MAX_RULES}")
    found = [_rule(number, rule) for number, rule in enumerate(rules, start=1)]
    return tuple({approval.key: approval for approval in found}.values())


def _rule(number: int, rule: Any) -> Approval:
    where = f"rule {number}"
    if not isinstance(rule, dict) or set(rule) != _FIELDS:
        raise _wrong(f"{where} is not an object with `key`, `label` and `added`")
    if not all(isinstance(rule[name], str) for name in _FIELDS):
        raise _wrong(f"{where} has a field that is no text")
    try:
        return Approval(parse_key(rule["key"]), from_rfc3339(rule["added"]))
    except KeyInvalid as error:
        raise _wrong(f"{where}: {error.message}") from error
    except (ValueError, OverflowError) as error:
        raise _wrong(f"{where}: `added` is not a time: `{rule['added'][:40]}`") from error


def _wrong(what: str) -> ApprovalsInvalid:
    return ApprovalsInvalid(f"the file of grants cannot be read: {what}", _MEND)

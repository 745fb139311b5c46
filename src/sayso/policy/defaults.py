"""The rules of a new database, and what keeps a group's rows sound (POL-41 to POL-43)."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from sayso.core.effect import Effect
from sayso.core.session import DEFAULT_GROUP
from sayso.errors import RuleRefused
from sayso.policy.compiled import is_catch_all
from sayso.policy.rule import Origin, Rule

CATCH_ALL_PRIORITY = 999_999

HARMLESS = (
    "write_todos",
    "todo",
    "notify",
    "activate_tools",
    "show_file_to_user",
    "image_generate",
    "ask_user",
    "ask_approval",
    "enter_plan_mode",
    "exit_plan_mode",
)
"""Interface tools that do nothing by themselves."""


def seed_rules() -> tuple[Rule, ...]:
    """The rows of the `default` group on a new database; their ids are stable (`seed:…`)."""
    rows = [
        _seed("execute_cmd", Effect.ASK, 10, note="every command line is asked about"),
        _seed("@fs_any", Effect.ALLOW, 59, "memory/*", note="the agent's own memory"),
        _seed("@fs_any", Effect.ALLOW, 59, "data/*", note="the agent's own data"),
        _seed(
            "@fs_any",
            Effect.DENY,
            59,
            "secrets/*",
            note="a secret that is read has leaked into context, history and logs",
        ),
    ]
    rows += [_seed(tool, Effect.ALLOW, 0, note="does nothing by itself") for tool in HARMLESS]
    rows.append(_seed("*", Effect.ASK, CATCH_ALL_PRIORITY, note="the default action"))
    return tuple(rows)


def pattern_key(rule: Rule) -> str:
    """The exact pattern of a table rule, by which a seed is known again (POL-41)."""
    return orjson.dumps(
        [rule.group_id, rule.tool_pattern, rule.path_pattern, rule.pattern]
    ).decode()


def missing_seeds(
    seeds: Iterable[Rule], existing: Iterable[Rule], known: Iterable[str] = ()
) -> tuple[Rule, ...]:
    """Those of the seeds that a rule table with these rows lacks (POL-41).

    A seed is missing where its exact pattern is absent and no person has changed or deleted it
    (`known` are the pattern keys of rows that were seeded, also of those deleted since); a catch-all
    only where its group has no `*` row at all.
    """
    rows = list(existing)
    ids = {rule.id for rule in rows}
    keys = {pattern_key(rule) for rule in rows}.union(known)
    decided = {rule.group_id for rule in rows if is_catch_all(rule)}
    return tuple(
        seed
        for seed in seeds
        if seed.id not in ids
        and pattern_key(seed) not in keys
        and not (is_catch_all(seed) and seed.group_id in decided)
    )


def check_catch_all(existing: Iterable[Rule], new: Rule) -> None:
    """Refuse a second `*` row with another effect in one group (POL-42).

    `existing` may hold the row that is being changed. Raises RuleRefused naming the rule in the way.
    """
    if not is_catch_all(new):
        return
    for rule in existing:
        if (
            rule.id != new.id
            and rule.group_id == new.group_id
            and is_catch_all(rule)
            and rule.effect is not new.effect
        ):
            raise RuleRefused(
                f"the group `{new.group_id}` already has a `*` rule that says {rule.effect.word}: "
                f"`{rule.id}`",
                f"change or delete `{rule.id}` instead",
            )


def hiding_catch_alls(table: Iterable[Rule]) -> tuple[str, ...]:
    """Warnings about groups whose `*` allow hides denies of the default group (POL-41a)."""
    rows = list(table)
    hidden = sorted(
        rule.id for rule in rows if rule.group_id == DEFAULT_GROUP and rule.effect is Effect.DENY
    )
    if not hidden:
        return ()
    return tuple(
        f"the `*` allow `{rule.id}` of group `{rule.group_id}` hides the default group's "
        f"denies: {', '.join(f'`{name}`' for name in hidden)}"
        for rule in rows
        if rule.group_id != DEFAULT_GROUP and is_catch_all(rule) and rule.effect is Effect.ALLOW
    )


def check_group_delete(
    group_id: str, used_by: Iterable[str] = (), *, move_to: str | None = None
) -> None:
    """Refuse to delete the default group, or one in use unless its users go elsewhere (POL-43).

    `used_by` are the run contexts that name the group, `move_to` the group they will name then.
    Raises RuleRefused.
    """
    if group_id == DEFAULT_GROUP:
        raise RuleRefused(
            "the group `default` cannot be deleted", "delete or change its rules instead"
        )
    users = sorted(used_by)
    if users and (move_to is None or move_to == group_id):
        raise RuleRefused(
            f"the group `{group_id}` is used by {', '.join(f'`{user}`' for user in users)}",
            "say which group they go to",
        )


def _seed(tool: str, effect: Effect, priority: int, path: str | None = None, *, note: str) -> Rule:
    name = tool if path is None else f"{tool} {path}"
    return Rule(
        f"seed:{name}",
        effect,
        Origin.DATABASE,
        tool_pattern=tool,
        path_pattern=path,
        priority=priority,
        group_id=DEFAULT_GROUP,
        note=note,
        seeded=True,
    )

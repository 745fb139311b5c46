"""The target of a path as an agent wrote it, in a call or in a command line (POL-3, POL-12)."""

from __future__ import annotations

from sayso.core.operation import Operation
from sayso.core.shell_command import ShellCommand
from sayso.core.target import Target, TargetKind
from sayso.policy.facts import Facts
from sayso.policy.paths import collapse, normalise, process_view
from sayso.policy.spelling import normal

MAX_SHOWN = 200


def path_target(
    text: str,
    operation: Operation,
    workspace: str | None,
    facts: Facts,
    *,
    own: bool,
    command: ShellCommand | None = None,
    redirected: bool = False,
    walks: bool = False,
) -> Target:
    """The target of a path as an agent wrote it; the last three are as in `Target`."""
    # A tool that deletes or moves a folder takes along what lies below it; of a command its options say so.
    walks = walks or (command is None and operation is Operation.DELETE)
    place = normalise(text, workspace, facts)
    if place.path is None or place.raw is None:
        return Target(
            TargetKind.PATH,
            shown(text),
            own,
            operation,
            doubt=place.doubt,
            command=command,
            redirected=redirected,
            walks=walks,
        )
    resolved = facts.resolve(place.raw)
    doubt, alternatives = place.doubt, place.alternatives
    if "/.." in place.raw and (other := facts.resolve(collapse(place.raw))) != resolved:
        # Programs that take `..` away before they follow links end up elsewhere than the system.
        doubt = doubt or "it leads to two places, by whether links or `..` are followed first"
        if other is not None:
            alternatives += (normal(other.replace("\\", "/") if facts.windows else other),)
    if resolved is not None and resolved != place.path:
        resolved = normal(resolved.replace("\\", "/") if facts.windows else resolved)
        view = process_view(resolved, workspace)
        if view is not None and doubt is None:
            doubt, alternatives = view.doubt, alternatives + view.alternatives
    return Target(
        TargetKind.PATH,
        place.path,
        own,
        operation,
        place.path,
        resolved,
        doubt=doubt,
        alternatives=alternatives,
        command=command,
        redirected=redirected,
        walks=walks,
    )


def shown(text: str) -> str:
    """A text as a target shows it: its beginning, where it is long."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}… ({len(text)} characters)"

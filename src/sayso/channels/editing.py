"""Editing the arguments that a card shows, on surfaces where they are text (REQ-14)."""

from __future__ import annotations

from typing import Any

from sayso.channels.card import Card
from sayso.channels.display import restore
from sayso.core.strict_json import parse_json
from sayso.errors import CallInvalid


def arguments_of(card: Card) -> dict[str, Any]:
    """The arguments of the call that the card shows, as data: what is shown is all of it (CH-1)."""
    return {
        restore(argument.name): restore(argument.value)
        if argument.kind == "text"
        else parse_json(restore(argument.value).encode(), "argument")
        for argument in card.what.arguments
    }


def new_value(before: object, typed: str) -> Any:
    """What somebody typed as the new value of an argument: a text stays one, all else is JSON.

    Raises CallInvalid for what is not JSON where it has to be.
    """
    if isinstance(before, str):
        return typed
    try:
        return parse_json(typed.encode("utf-8", "surrogatepass"), "value")
    except CallInvalid as error:
        raise CallInvalid(
            f"`{typed[:80]}` is not JSON", 'write it as JSON: 5, true, "text", [1, 2]'
        ) from error

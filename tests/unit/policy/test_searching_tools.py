"""A tool that searches the files below a folder tells what they hold (POL-36)."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.core.reason import Reason
from sayso.policy.descriptors import PathArgument, ToolDescriptor
from sayso.policy.shipped_descriptors import SHIPPED
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, said

pytestmark = pytest.mark.spec("POL-36")

RULES = ("allow read(**)", "deny read(secrets/**)")
FACTS = FakeFacts(files=("/w/secrets", "/w/secrets/key", "/w/src", "/w/src/app.py"))


def searched(tool: str, **arguments: Any) -> str:
    """What is said of a search where one folder may not be read."""
    return effect(call(tool, **arguments), *RULES, facts=FACTS)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("Grep", "path"),
        ("grep", "path"),
        ("grep_files", "path"),
        ("grep_search", "dir_path"),
        ("search_file_content", "path"),
    ],
)
def test_a_search_above_what_is_denied_asks(tool: str, name: str) -> None:
    found = said(call(tool, pattern="key", **{name: "."}), *RULES, facts=FACTS)
    assert (found.effect, found.reason) == (Effect.ASK, Reason.DOUBTFUL)
    assert "is about lies below it, or may" in " ".join(found.targets[-1].notes)
    assert searched(tool, pattern="key", **{name: "secrets"}) == "deny"
    assert searched(tool, pattern="key", **{name: "src"}) == "allow"


def test_without_a_path_the_working_directory_is_searched() -> None:
    assert searched("Grep", pattern="key") == "ask"


def test_names_alone_tell_nothing_of_what_files_hold() -> None:
    assert searched("Glob", pattern="*", path=".") == "allow"
    assert searched("list_files", path=".") == "allow"


def test_a_tool_of_ones_own_may_say_that_it_walks() -> None:
    for walks, expected in ((True, "ask"), (False, "allow")):
        paths = (PathArgument("folder", Operation.READ, walks=walks),)
        known = SHIPPED.adding([ToolDescriptor("index_code", paths=paths)])
        what = call("index_code", folder=".")
        assert effect(what, *RULES, facts=FACTS, descriptors=known) == expected

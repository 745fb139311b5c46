"""A folder is found whichever way its letters are written on the disk, in the rule, and in the call."""

from __future__ import annotations

import itertools
import unicodedata

import pytest

from sayso.policy.spelling import any_spelling, normal, spelled_one_way
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect

NFC, NFD = "NFC", "NFD"
FORMS = list(itertools.product((NFC, NFD), repeat=3))


def spelled(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def walk(form: str, folder: str) -> str:
    return f"grep -r x {spelled(form, folder)}"


@pytest.mark.spec("POL-36")
@pytest.mark.parametrize(("disk", "rule", "line"), FORMS)
@pytest.mark.parametrize(
    ("pattern", "folder", "file"),
    [
        ("clés/**", "/w", "/w/clés"),
        ("clés/privées/**", "/w", "/w/clés/privées"),
        ("clés/privées/**", "/w/clés", "/w/clés/privées"),
        ("/w/été/keys/**", "/w/été", "/w/été/keys"),
        ("**/clés", "/w/été", "/w/été/clés"),
        ("**/clés", "/w/été", "/w/été/a/clés"),
        ("**/.env", "/w/été/Ångström", "/w/été/Ångström/a/.env"),
        ("**/*.clé", "/w", "/w/a.clé"),
        ("**/*.clé", "/w", "/w/.clé"),
        ("été/*/clé", "/w/été", "/w/été/x/clé"),
        ("été/**/clé", "/w/été", "/w/été/x/y/clé"),
    ],
)
def test_a_walk_finds_a_name_in_either_form(
    disk: str, rule: str, line: str, pattern: str, folder: str, file: str
) -> None:
    path = spelled(disk, file)
    above = path.split("/")
    files = tuple("/".join(above[: end + 1]) for end in range(2, len(above)))
    rules = ("allow shell(*)", f"deny read({spelled(rule, pattern)})")
    what = call("execute_cmd", command=walk(line, folder))
    assert effect(what, *rules, facts=FakeFacts(files=files)) == "ask"


@pytest.mark.spec("POL-36")
@pytest.mark.parametrize(("disk", "rule", "line"), FORMS)
def test_what_only_resembles_the_name_is_no_reason_to_ask(disk: str, rule: str, line: str) -> None:
    files = tuple(spelled(disk, f"/w/{name}") for name in ("été", "été/cles", "été/claies", "ête"))
    rules = ("allow shell(*)", f"deny read({spelled(rule, 'été/clés/**')})")
    what = call("execute_cmd", command=walk(line, "/w/été"))
    assert effect(what, *rules, facts=FakeFacts(files=files)) == "allow"


@pytest.mark.spec("POL-36")
def test_a_form_that_is_neither_is_found_too() -> None:
    mixed = "ê\u0301"  # as a Vietnamese keyboard writes it
    assert mixed not in {spelled(NFC, mixed), spelled(NFD, mixed)}
    rules = ("allow shell(*)", f"deny read(/w/k{mixed}/**)")
    what = call("execute_cmd", command="grep -r x /w")
    assert effect(what, *rules, facts=FakeFacts(files=(f"/w/k{mixed}",))) == "ask"


@pytest.mark.spec("POL-36")
@pytest.mark.parametrize(("disk", "rule"), list(itertools.product((NFC, NFD), repeat=2)))
def test_a_star_in_a_folder_that_a_line_enters_stands_for_what_lies_there(
    disk: str, rule: str
) -> None:
    folder, key = spelled(disk, "/w/clés"), spelled(disk, "/w/clés/é")
    rules = ("allow shell(*)", f"deny read({spelled(rule, 'clés/é')})")
    what = call("execute_cmd", command=f"cd {spelled(disk, 'clés')} && cat *")
    assert effect(what, *rules, facts=FakeFacts(files=(folder, key))) == "deny"


@pytest.mark.parametrize("name", ["клуб", "机密", "ключ", "plain", "straße", "Ωμ"])
def test_what_is_written_one_way_only_is_looked_up_as_it_is(name: str) -> None:
    assert any_spelling(name) == name
    assert spelled_one_way(name)


@pytest.mark.parametrize(
    ("name", "glob"),
    [
        ("clés", "cl*s"),
        ("bí mật", "b* m*t"),
        ("й", "*"),
        ("한글", "*"),
        ("x\u0302y", "x*y"),
        ("क़", "*"),
        ("གྷ", "*"),
    ],
)
def test_what_may_be_written_otherwise_is_looked_for(name: str, glob: str) -> None:
    assert any_spelling(normal(name)) == glob
    assert not spelled_one_way(normal(name))

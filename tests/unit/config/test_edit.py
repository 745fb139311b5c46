from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config import writing
from sayso.config.edit import add_rule, remove_rule
from sayso.core.effect import Effect
from sayso.errors import RuleNotFound, RuleSyntaxError, SettingsInvalid

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY

FILE = """\
# what I set
[permissions] # mine
allow = [
  "read(docs/*)", # the manual
  # builds
  "shell(npm test)", # and tests
]
deny = ['write(.env)'] # never

# how it looks
[ui]
diff_lines = 40 # rows
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(FILE)
    return path


@pytest.mark.spec("POL-64")
def test_a_rule_is_added_where_it_belongs_and_all_else_stays(file: Path) -> None:
    done = add_rule(file, ALLOW, " web(example.com) ")
    assert (done.line, done.changed, done.text) == (7, True, file.read_text())
    assert file.read_text() == FILE.replace("# and tests\n", '# and tests\n  "web(example.com)",\n')
    done = add_rule(file, DENY, "shell(rm *)")
    assert file.read_text().splitlines()[done.line - 1] == (
        "deny = ['write(.env)', \"shell(rm *)\"] # never"
    )


@pytest.mark.spec("POL-64")
def test_a_list_that_is_missing_comes_first_in_its_table(file: Path) -> None:
    done = add_rule(file, ASK, 'shell(echo "a\\b")')
    assert file.read_text() == FILE.replace(
        "# mine\n", '# mine\nask = ["shell(echo \\"a\\\\b\\")"]\n'
    )
    assert done.line == 3


@pytest.mark.spec("POL-64")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[permissions]\nask = ["a"]\n'),
        ("# end", '# end\n\n[permissions]\nask = ["a"]\n'),
        ("[ui]\n# end\n", '[ui]\n# end\n\n[permissions]\nask = ["a"]\n'),
        ("[permissions]", '[permissions]\nask = ["a"]\n'),
        ("permissions.allow = ['b']\n", "permissions.allow = ['b']\npermissions.ask = [\"a\"]\n"),
        ("permissions = {}\n", 'permissions = {ask = ["a"]}\n'),
        ("[permissions]\r\nask = [\r\n 'b',\r\n]", None),
        ("[permissions]\nask = []\n", '[permissions]\nask = ["a"]\n'),
        ("[permissions]\nask = ['b'\n # c\n]\n", None),
        ("[[rule]]\neffect='ask'\nrule='b'\n", None),
    ],
)
def test_a_rule_is_added_to_any_form_of_file(
    tmp_path: Path, before: str, after: str | None
) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(before.encode())
    done = add_rule(file, ASK, "a")
    text = file.read_bytes().decode()
    if after is not None:
        # a bare name is kept in the form that every rule has
        assert text == after.replace('"a"', '"tool(a)"')
    assert "tool(a)" in text.splitlines()[done.line - 1]
    assert tomllib.loads(text)["permissions"]["ask"][-1] == "tool(a)"
    assert text.count("\r\n") == (text.count("\n") if "\r" in before else 0)


@pytest.mark.spec("POL-64")
def test_a_rule_that_stands_there_already_is_not_added(file: Path) -> None:
    before = file.stat()
    done = add_rule(file, DENY, "edit(.env)")
    assert (done.changed, done.line, done.text) == (False, 8, FILE)
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.spec("POL-64")
def test_a_rule_is_taken_out_and_all_else_stays(file: Path) -> None:
    done = remove_rule(file, ALLOW, "read(docs/*)")
    assert done.line == 4
    assert file.read_text() == done.text == FILE.replace('  "read(docs/*)", # the manual\n', "")
    remove_rule(file, DENY, "edit(.env)")
    assert "deny = [] # never\n" in file.read_text()
    with pytest.raises(RuleNotFound, match=r"`deny write\(.env\)` does not stand"):
        remove_rule(file, DENY, "edit(.env)")


@pytest.mark.spec("POL-64")
def test_a_new_file_and_its_directory_are_private(tmp_path: Path) -> None:
    file = tmp_path / "new" / "deeper" / "settings.toml"
    assert add_rule(file, ALLOW, "read(docs/*)").line == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [one.name for one in file.parent.iterdir()] == ["settings.toml"]


@pytest.mark.spec("POL-64")
def test_the_rights_of_the_file_and_of_its_directory_stay(file: Path) -> None:
    file.chmod(0o640)
    file.parent.chmod(0o755)
    add_rule(file, ALLOW, "a")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755


@pytest.mark.spec("POL-64")
def test_a_link_stays_a_link_and_what_it_leads_to_is_written(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "settings.toml"
    link.parent.mkdir()
    link.symlink_to(file)
    add_rule(link, ALLOW, "a")
    assert link.is_symlink()
    assert "tool(a)" in file.read_text()


@pytest.mark.spec("POL-64")
def test_an_invalid_file_is_not_touched(file: Path) -> None:
    file.write_text(FILE + "[nonsense]\n")
    with pytest.raises(SettingsInvalid, match=r":13:1: `nonsense` is not a setting"):
        add_rule(file, ALLOW, "a")
    file.write_text("[permissions")
    with pytest.raises(SettingsInvalid):
        remove_rule(file, ALLOW, "a")
    assert file.read_text() == "[permissions"
    assert [one.name for one in file.parent.iterdir()] == ["settings.toml"]
    file.unlink()
    file.mkdir()
    with pytest.raises(SettingsInvalid, match="cannot be read"):
        add_rule(file, ALLOW, "a")


@pytest.mark.spec("POL-64")
def test_a_rule_that_cannot_be_read_is_not_added(file: Path) -> None:
    with pytest.raises(RuleSyntaxError, match="not a kind of rule"):
        add_rule(file, ALLOW, "wirte(x)")
    with pytest.raises(RuleSyntaxError, match="named in full"):
        add_rule(file, ALLOW, "mcp(*:x)")
    assert file.read_text() == FILE


@pytest.mark.spec("POL-64")
def test_what_somebody_else_wrote_meanwhile_is_not_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = writing.tempfile.mkstemp

    def slowly(**more: object) -> object:
        file.write_text("# mine now\n")
        return make(**more)  # type: ignore[call-overload]

    monkeypatch.setattr(writing.tempfile, "mkstemp", slowly)
    with pytest.raises(SettingsInvalid, match="changed in the meantime; nothing was written"):
        add_rule(file, ALLOW, "a")
    assert file.read_text() == "# mine now\n"
    assert [one.name for one in file.parent.iterdir()] == ["settings.toml"]


PIECES = st.lists(
    st.sampled_from(
        [
            *[line + "\n" for line in FILE.splitlines()],
            "\n",
            "# more\n",
            "ask = ['a', \"b\"]\n",
            "allow = []\n",
            "[permissions]\n",
            "[[rule]]\neffect = 'deny'\nrule = 'c' # c\n",
            "[server]\nport = 1\n",
            "permissions.ask = [ 'a' ,\n\n  # x\n 'b' # y\n  , ]\n",
            "permissions = { deny = ['a'] } # z\n",
        ]
    ),
    max_size=8,
)


@pytest.mark.spec("POL-64")
@given(PIECES, st.sampled_from(list(Effect)), st.sampled_from(["a", "b", 'shell(echo "ü" \\ *)']))
def test_adding_keeps_every_line_and_removing_undoes_it(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], effect: Effect, rule: str
) -> None:
    file = tmp_path_factory.mktemp("edit") / "settings.toml"
    before = "".join(pieces)
    file.write_text(before)
    try:
        done = add_rule(file, effect, rule)
    except SettingsInvalid:
        assert file.read_text() == before
        return
    data = tomllib.loads(before)
    after = tomllib.loads(done.text)
    comments = [line.split("#")[1] for line in before.splitlines() if "#" in line]
    assert [line.split("#")[1] for line in done.text.splitlines() if "#" in line] == comments
    if not done.changed:
        assert (done.text, file.read_text()) == (before, before)
        return
    rules = after["permissions"][effect.word]
    assert rules[:-1] == data.get("permissions", {}).get(effect.word, [])
    undone = remove_rule(file, effect, rule)
    assert undone.line == done.line
    left = tomllib.loads(undone.text)
    left["permissions"][effect.word] or left["permissions"].pop(effect.word)
    data.get("permissions", {}).get(effect.word) or data.get("permissions", {}).pop(
        effect.word, None
    )
    left["permissions"] or left.pop("permissions")
    data.get("permissions") or data.pop("permissions", None)
    assert left == data

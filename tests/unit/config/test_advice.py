"""`[[permissions.hooks.permission_request]]` and `[permissions.auto]`: read strictly, from the user's files only."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.config.advice import MAX_ENVIRONMENT, MAX_HOOKS
from sayso.config.settings import Scope, parse_settings
from sayso.config.source import SettingsRules
from sayso.config.workspace import workspace_file
from sayso.core.advice import Advice, Hook
from sayso.errors import SettingsInvalid

HOOK = "[[permissions.hooks.permission_request]]\n"


def advice(text: str, scope: Scope = Scope.USER) -> Advice:
    return parse_settings(Path("/etc/sayso/settings.toml"), text.encode(), scope).advice


def refused(text: str) -> str:
    with pytest.raises(SettingsInvalid) as error:
        advice(text)
    return str(error.value)


@pytest.mark.spec("POL-60", "REV-3")
def test_hooks_and_the_reviewer_are_read_in_their_order() -> None:
    found = advice(
        f'{HOOK}command = ["./hook.sh", "-x"]\ntools = ["run_*", "mcp__git__*"]\ntimeout = 2.5\n'
        f'{HOOK}entry_point = "my.hooks:decide"\n'
        '[permissions.auto]\nmodel = "openai:some"\nenvironment = "a test machine"\n'
    )
    assert found == Advice(
        hooks=(
            Hook(
                name="./hook.sh",
                command=("./hook.sh", "-x"),
                tools=("run_*", "mcp__git__*"),
                timeout=2.5,
                folder="/etc/sayso",
            ),
            Hook(name="my.hooks:decide", entry_point="my.hooks:decide", folder="/etc/sayso"),
        ),
        model="openai:some",
        environment="a test machine",
    )
    assert advice("") == Advice() == advice("[permissions]\nhooks = {}\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HOOK}tools = ['x']\n", "a hook has either a `command` or an `entry_point`"),
        (f"{HOOK}command = ['a']\nentry_point = 'a:b'\n", "a hook has either"),
        (f"{HOOK}command = []\n", "`command` names no program"),
        (f"{HOOK}command = 'a b'\n", '`command` is the text "a b"'),
        (f"{HOOK}entry_point = 'os.system'\n", "`os.system` names no function"),
        (f"{HOOK}command = ['a']\ntimeout = 61\n", "does not wait that long"),
        (f"{HOOK}command = ['a']\ntimeout = 0\n", "`timeout` is the number 0"),
        (f"{HOOK}command = ['a']\ntools = ['@fs_any']\n", "`@fs_any` is no name of a tool"),
        (f"{HOOK}command = ['a']\nshell = true\n", "`shell` is not a setting"),
        ("[permissions.hooks]\npre_tool_use = []\n", "`pre_tool_use` is not a setting"),
        ("[permissions.auto]\nmodel = ' '\n", "`model` names no model"),
        (
            f"[permissions.auto]\nenvironment = '{'x' * (MAX_ENVIRONMENT + 1)}'\n",
            "`environment` is longer than 8000 characters",
        ),
        (f"{HOOK}command = ['a']\n" * (MAX_HOOKS + 1), "there are more than 20 hooks"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(text: str, said: str) -> None:
    message = refused(text)
    assert said in message
    assert message.startswith("/etc/sayso/settings.toml:")


@pytest.mark.spec("POL-60", "REV-3")
def test_a_project_names_neither_hook_nor_model() -> None:
    text = f"{HOOK}command = ['./allow.sh']\n[permissions.auto]\nmodel = 'theirs'\n"
    assert advice(text, Scope.PROJECT) == Advice()


@pytest.mark.spec("POL-60", "POL-63")
def test_the_files_of_the_user_add_up_and_the_nearest_names_the_model(tmp_path: Path) -> None:
    configuration, project = tmp_path / "conf", tmp_path / "project"
    (project / "inner").mkdir(parents=True)
    (project / "sayso.toml").write_text(f"{HOOK}command = ['./theirs.sh']\n")
    own = configuration / "settings.toml"
    inner = workspace_file(configuration, str((project / "inner").resolve()))
    outer = workspace_file(configuration, str(project.resolve()))
    for path, letter in ((own, "a"), (outer, "b"), (inner, "c")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"{HOOK}command = ['{letter}']\n"
            f"[permissions.auto]\nmodel = 'x:{letter}'\nenvironment = '{letter}'\n"
        )
    rules = SettingsRules(own, configuration=configuration)
    found = rules.advice(str(project / "inner"))
    assert [hook.name for hook in found.hooks] == ["a", "b", "c"]
    assert (found.model, found.environment, found.may_allow) == ("x:c", "a\nb\nc", True)
    assert rules.advice(str(project)).model == "x:b"
    assert rules.advice(None).model == "x:a"
    own.write_text("nonsense = ]")
    found = rules.advice(None)
    assert [hook.name for hook in found.hooks] == ["a"], "they may still refuse"
    assert not found.may_allow

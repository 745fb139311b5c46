from __future__ import annotations

from pathlib import Path

import pytest

from sayso.broker.rule_source import CachedRules
from sayso.config.saving import save_session_rule
from sayso.config.source import SettingsRules
from sayso.config.workspace import workspace_file, workspace_head
from sayso.core.effect import Effect
from sayso.errors import NotEligible, RuleNotFound, SettingsInvalid
from sayso.policy.facts import NOTHING_KNOWN
from tests.fakes.world import draft, make_scene


@pytest.mark.spec("POL-64")
async def test_a_saved_rule_is_the_file_s_and_no_longer_the_session_s(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lists = SettingsRules(tmp_path / "home" / "settings.toml", configuration=tmp_path / "home")
    scene = make_scene()
    rules = CachedRules(scene.store, lists, (), NOTHING_KNOWN)
    object.__setattr__(scene.world, "rules", rules)
    owner, session = await scene.actor(), await scene.session(workspace=str(project))
    gate, own = scene.broker.gate(session.session_id), scene.broker.session_rules
    await own.add(owner, session.session_id, Effect.ALLOW, "send_mail")
    path = workspace_file(lists.configuration or tmp_path, str(project.resolve()))
    with pytest.raises(NotEligible):
        await save_session_rule(
            scene.broker, await scene.agent(), session.session_id, Effect.ALLOW, "send_mail", path
        )
    with pytest.raises(RuleNotFound):
        await save_session_rule(
            scene.broker, owner, session.session_id, Effect.DENY, "send_mail", path
        )
    assert not path.exists()
    edit = await save_session_rule(
        scene.broker,
        owner,
        session.session_id,
        Effect.ALLOW,
        "send_mail",
        path,
        head=workspace_head(str(project)),
    )
    assert path.read_text() == edit.text
    assert path.read_text() == (
        f'# what counts in {project} and below it\n\n[permissions]\nallow = ["tool(send_mail)"]\n'
    )
    assert await own.all(owner, session.session_id) == ()
    lists.edition()
    standing = await gate.decide(draft())
    assert standing.effect == "allow"
    assert standing.verdict is not None
    assert standing.verdict["rule"]["origin"] == "workspace"

    path.write_text("[permissions")
    await own.add(owner, session.session_id, Effect.DENY, "send_mail")
    with pytest.raises(SettingsInvalid):
        await save_session_rule(
            scene.broker, owner, session.session_id, Effect.DENY, "send_mail", path
        )
    assert len(await own.all(owner, session.session_id)) == 1, "it stays the session's"

"""What an approval was given for is looked at again when the call is claimed (REQ-34)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.ports import Claim, Standing
from sayso.broker.preconditions import in_words, recheck
from sayso.broker.run import run
from sayso.channels.card import card_of
from sayso.channels.display import restore
from sayso.core.session import CallDraft
from sayso.errors import CallRejected
from sayso.people.person import Person
from sayso.requests.approval import Status, Vote
from sayso.requests.precondition import ChangeKind
from sayso.system.facts import LocalFacts
from sayso.system.files import LocalFiles
from tests.fakes.world import FakeFiles, Scene, draft, make_scene, rule

pytestmark = pytest.mark.spec("REQ-34")
ANNA = Person("anna", "Anna", admin=True)


def scene_here() -> Scene:
    return make_scene(rule("ask"), facts=LocalFacts(), files=LocalFiles())


async def approve(scene: Scene, standing: Standing, person_id: str = "owner") -> None:
    person = await scene.actor(person_id=person_id)
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)


async def test_a_link_that_was_swapped_is_asked_about_again(tmp_path: Path) -> None:
    scene = scene_here()
    (tmp_path / "here").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "here")
    gate = await scene.gate()
    call = CallDraft("save", {"path": str(tmp_path / "out" / "a.txt")}, server="fs")
    standing = await gate.submit(call)
    await approve(scene, standing)
    (tmp_path / "out").unlink()
    (tmp_path / "out").symlink_to(tmp_path / "secret")
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    assert (taken.status, taken.reason) == ("pending", "needs-fresh-approval")
    old, new = await scene.request(standing.call_id), await scene.request(taken.call_id)
    assert old.status is Status.SUPERSEDED
    assert [change.kind for change in new.changed] == [ChangeKind.LEADS_TO]
    assert str(tmp_path / "secret" / "a.txt") in in_words(new.changed)
    assert old.resolution is not None
    assert old.resolution.comment == in_words(new.changed)
    card = card_of(new, now=scene.clock.now())
    assert card.previous == standing.call_id
    assert [restore(change.text) for change in card.changed] == [in_words(new.changed)]
    assert card.to_json()["changed"][0]["kind"] == "leads-to"


async def test_a_file_that_was_edited_meanwhile_is_asked_about_again(tmp_path: Path) -> None:
    scene = scene_here()
    file = tmp_path / "a.txt"
    file.write_text("one")
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("save", {"path": str(file)}, server="fs"))
    await approve(scene, standing)
    file.write_text("two")
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    new = await scene.request(taken.call_id)
    assert [(c.kind, c.subject) for c in new.changed] == [(ChangeKind.CONTENT, str(file))]
    # it is asked about the file as it is now, so that an approval of that counts
    await approve(scene, taken)
    assert isinstance(await gate.claim(taken.call_id, taken.digest), Claim)


async def test_a_file_that_another_program_only_read_changes_nothing(tmp_path: Path) -> None:
    scene = scene_here()
    file = tmp_path / "a.txt"
    file.write_text("one")
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("save", {"path": str(file)}, server="fs"))
    await approve(scene, standing)
    assert file.read_text() == "one"
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


async def test_an_approver_who_may_no_longer_decide_is_named() -> None:
    scene = make_scene(rule("ask"), people=[ANNA])
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await approve(scene, standing, "anna")
    scene.store.folk["anna"] = replace(ANNA, admin=False)
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    (changed,) = (await scene.request(taken.call_id)).changed
    assert changed.kind is ChangeKind.APPROVER
    assert "Anna" in changed.words


async def test_rules_that_ask_for_more_are_named() -> None:
    from sayso.core.approval_policy import ApprovalPolicy

    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    await approve(scene, standing)
    scene.rules.say(rule("ask", approval=ApprovalPolicy(quorum=2)))
    taken = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(taken, Standing)
    (changed,) = (await scene.request(taken.call_id)).changed
    assert (changed.kind, changed.words) == (
        ChangeKind.POLICY, "the rules ask for more than was approved",
    )  # fmt: skip


async def test_what_rules_alone_allow_by_now_runs_whatever_changed(tmp_path: Path) -> None:
    scene = scene_here()
    file = tmp_path / "a.txt"
    file.write_text("one")
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("save", {"path": str(file)}, server="fs"))
    await approve(scene, standing)
    file.write_text("two")
    scene.rules.say(rule("allow", "mcp__fs__*"), rule("allow"))
    taken = await gate.claim(standing.call_id, standing.digest)
    request = await scene.request(standing.call_id)
    assert isinstance(taken, Claim) == (request.status is Status.RUNNING)


async def test_a_request_of_an_older_version_noted_nothing_and_still_runs() -> None:
    scene = make_scene(rule("ask"), files=FakeFiles({"/w/a": "1"}))
    gate = await scene.gate()
    standing = await gate.submit(draft())
    stored = scene.store.inner._requests
    stored[standing.call_id] = replace(stored[standing.call_id], preconditions=None)
    await approve(scene, standing)
    assert isinstance(await gate.claim(standing.call_id, standing.digest), Claim)


async def test_a_claim_carries_what_its_runner_can_look_at(tmp_path: Path) -> None:
    scene = scene_here()
    file = tmp_path / "a.txt"
    file.write_text("one")
    gate = await scene.gate()
    standing = await gate.submit(CallDraft("save", {"path": str(file)}, server="fs"))
    await approve(scene, standing)
    claim = await gate.claim(standing.call_id, standing.digest)
    assert isinstance(claim, Claim)
    facts, files = LocalFacts(), LocalFiles()
    assert {held.kind.value for held in claim.preconditions} == {"leads-to", "content"}
    assert recheck(facts, files, claim.preconditions) == []
    file.write_text("two")
    assert [c.kind for c in recheck(facts, files, claim.preconditions)] == [ChangeKind.CONTENT]
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    assert ChangeKind.LEADS_TO in [c.kind for c in recheck(facts, files, claim.preconditions)]


@pytest.mark.parametrize("failing", [False, True])
async def test_what_changed_between_the_claim_and_the_run_does_not_run(
    tmp_path: Path, failing: bool
) -> None:
    scene = scene_here()
    file = tmp_path / "a.txt"
    gate = await scene.gate()
    call = CallDraft("save", {"path": str(file)}, server="fs", external_id="e1")
    await approve(scene, await gate.submit(call))
    ran: list[Mapping[str, Any]] = []

    async def execute(arguments: Mapping[str, Any]) -> str:
        ran.append(arguments)
        return "saved"

    async def looked(claim: Claim) -> str:
        if failing:
            raise OSError("gone")
        file.write_text("two")
        return in_words(recheck(LocalFacts(), LocalFiles(), claim.preconditions))

    with pytest.raises(CallRejected) as caught:
        await run(gate, call, execute, recheck=looked)
    assert caught.value.reason == "needs-fresh-approval"
    assert ran == []
    request = await scene.request(caught.value.request_id)
    assert request.status is Status.FAILED
    assert request.outcome is not None
    assert request.outcome.summary.startswith("not started")

"""Approved plans as files of the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.system.plan_files import save_plan


@pytest.mark.spec("Q-5")
def test_a_plan_takes_the_first_free_number_and_writes_over_nothing(tmp_path: Path) -> None:
    assert save_plan(tmp_path, "s1", "a") == ".sayso/plans/s1-1.md"
    assert save_plan(tmp_path, "s1", "b\n") == ".sayso/plans/s1-2.md"
    assert save_plan(tmp_path, "../x", "c") == ".sayso/plans/___x-1.md"
    assert (tmp_path / ".sayso/plans/s1-1.md").read_text() == "a\n"
    assert (tmp_path / ".sayso/plans/s1-2.md").read_text() == "b\n"
    (tmp_path / ".sayso/plans/s1-1.md").unlink()
    outside = tmp_path / "outside"
    (tmp_path / ".sayso/plans/s1-1.md").symlink_to(outside)
    assert save_plan(tmp_path, "s1", "d") == ".sayso/plans/s1-3.md"
    assert not outside.exists()


def test_no_link_is_followed_and_a_missing_workspace_is_an_error(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for linked in (".sayso", ".sayso/plans"):
        place = tmp_path / linked.replace("/", "-")
        place.mkdir()
        (place / linked).parent.mkdir(exist_ok=True)
        (place / linked).symlink_to(elsewhere)
        with pytest.raises(NotADirectoryError, match="through a link"):
            save_plan(place, "s1", "a")
    assert list(elsewhere.iterdir()) == []
    with pytest.raises(OSError, match="No such file"):
        save_plan(tmp_path / "gone", "s1", "a")

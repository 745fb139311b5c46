"""Approved plans as files of the workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize("from_above", [os.open in os.supports_dir_fd, False])
def test_no_link_is_followed_and_a_missing_workspace_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_above: bool
) -> None:
    monkeypatch.setattr("sayso.system.plan_files._FROM_ABOVE", from_above)
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
    assert save_plan(tmp_path, "s1", "a") == ".sayso/plans/s1-1.md"
    with pytest.raises(OSError, match="No such file"):
        save_plan(tmp_path / "gone", "s1", "a")


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="folders are opened by path there")
def test_a_folder_that_is_swapped_for_a_link_in_between_leads_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, plans = tmp_path / "elsewhere", tmp_path / ".sayso/plans"
    elsewhere.mkdir()
    listdir = os.listdir

    def swapped(folder: Any) -> list[str]:
        plans.rename(tmp_path / "moved")
        plans.symlink_to(elsewhere)
        return listdir(folder)

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", swapped)
        save_plan(tmp_path, "s1", "a")
    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / "moved/s1-1.md").read_text() == "a\n"

"""Task lists."""

from __future__ import annotations

import pytest

from sayso.errors import QuestionInvalid
from sayso.questions.todo import list_json, read_tasks


@pytest.mark.spec("Q-7")
def test_a_task_list_is_read_and_counted_whole() -> None:
    words = {
        "pending": ("pending", "todo", "To Do", "open"),
        "in_progress": ("in_progress", "in-progress", "IN PROGRESS", "inProgress", "doing"),
        "done": ("done", "completed", "complete", "finished"),
    }
    for status, said in words.items():
        for word in said:
            assert read_tasks([{"content": " x ", "status": word}])[0].to_json() == {
                "content": "x",
                "status": status,
            }
    tasks = read_tasks([{"content": c, "status": s} for c, s in (("a", "done"), ("b", "doing"))])
    told = list_json(tasks)
    assert (told["done"], told["total"], "note" in told) == (1, 2, False)
    both = list_json(read_tasks([{"content": "a", "status": "doing"}] * 2))
    assert both["note"] == "more than one task is in progress: work on one at a time"
    assert list_json(read_tasks([])) == {"items": [], "done": 0, "total": 0}


@pytest.mark.spec("Q-7")
def test_what_is_no_task_list_is_refused() -> None:
    good = {"content": "a", "status": "done"}
    for items, why in (
        ([good, {"content": " ", "status": "done"}], "task 2 is empty"),
        ([{"content": "a", "status": "later"}], "`later` is not the status"),
        ([{"content": "a", "status": 1}], "is not the status"),
        ([good] * 51, "51 tasks"),
        ([{"content": "a"}], "task 1 is not just"),
        ("todo", "no list"),
        ({"content": "a", "status": "done"}, "no list"),
    ):
        with pytest.raises(QuestionInvalid, match=why):
            read_tasks(items)

"""A task list: what the agent means to do, shown to people as a checklist (Q-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.errors import QuestionInvalid
from sayso.questions.clarification import checked

MOST_TASKS = 50
MAX_CONTENT = 1000


class TaskStatus(StrEnum):
    """How far a task is."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    DONE = "done"


_ALSO = {
    "todo": TaskStatus.PENDING,
    "to_do": TaskStatus.PENDING,
    "open": TaskStatus.PENDING,
    "not_started": TaskStatus.PENDING,
    "inprogress": TaskStatus.IN_PROGRESS,
    "doing": TaskStatus.IN_PROGRESS,
    "active": TaskStatus.IN_PROGRESS,
    "started": TaskStatus.IN_PROGRESS,
    "complete": TaskStatus.DONE,
    "completed": TaskStatus.DONE,
    "finished": TaskStatus.DONE,
}
"""Words of other programs for the same (`todo`, `in-progress`, `completed`)."""


@dataclass(frozen=True, slots=True)
class Task:
    """One line of the list."""

    content: str
    status: TaskStatus

    def to_json(self) -> dict[str, Any]:
        """The task as an agent's side and the API write it."""
        return {"content": self.content, "status": self.status.value}


def read_tasks(items: object) -> tuple[Task, ...]:
    """The whole list as an agent gives it; raises QuestionInvalid and says at which task."""
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise QuestionInvalid("the task list is no list", "give [{content, status}, …]")
    if len(items) > MOST_TASKS:
        raise QuestionInvalid(f"{len(items)} tasks are too many", f"at most {MOST_TASKS}")
    return tuple(_task(item, n) for n, item in enumerate(items, 1))


def list_json(tasks: Sequence[Task]) -> dict[str, Any]:
    """The list with how much of it is done; a note where more than one task is in progress."""
    told: dict[str, Any] = {
        "items": [task.to_json() for task in tasks],
        "done": sum(task.status is TaskStatus.DONE for task in tasks),
        "total": len(tasks),
    }
    if sum(task.status is TaskStatus.IN_PROGRESS for task in tasks) > 1:
        told["note"] = "more than one task is in progress: work on one at a time"
    return told


def _task(item: object, number: int) -> Task:
    if isinstance(item, Task):
        item = item.to_json()
    if not isinstance(item, Mapping) or set(item) != {"content", "status"}:
        raise QuestionInvalid(f"task {number} is not just a content and a status")
    content, status = item["content"], item["status"]
    if not isinstance(content, str) or not content.strip():
        raise QuestionInvalid(f"the content of task {number} is empty", "say what is to be done")
    return Task(checked(content.strip(), "content of a task", MAX_CONTENT), _status(status, number))


def _status(word: object, number: int) -> TaskStatus:
    if isinstance(word, str):
        plain = word.strip().lower().replace("-", "_").replace(" ", "_")
        known = {status.value: status for status in TaskStatus} | _ALSO
        if plain in known:
            return known[plain]
    raise QuestionInvalid(
        f"`{str(word)[:40]}` is not the status of a task (task {number})",
        f"one of {', '.join(TaskStatus)}",
    )

"""The contenders of B-4 beside sayso: a durable question, its answer, and the work that waited for it.

Everybody keeps everything in a SQLite file in a directory of their own, with a write-ahead log and
synchronous=FULL: an answered step is on the disk. sayso's part is in `ours.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from bench.ours import TOOL, arguments


class _State(TypedDict, total=False):
    tool: str
    arguments: dict[str, Any]
    result: str


def _gate(state: _State) -> _State:
    answer = interrupt({"tool": state["tool"], "arguments": state["arguments"]})
    return {"result": "sent" if answer == "approve" else "rejected"}


class Graph:
    """A graph of one node that interrupts before it acts, on any saver, with durability `sync`."""

    def __init__(self, saver: Any) -> None:
        builder = StateGraph(_State)
        builder.add_node("gate", _gate)
        builder.add_edge(START, "gate")
        builder.add_edge("gate", END)
        self._graph = builder.compile(checkpointer=saver)
        self._count = 0

    def ask(self) -> str:
        """Start a thread that waits for a person; returns its id."""
        self._count += 1
        thread = f"thread-{self._count}"
        state: Any = {"tool": TOOL, "arguments": arguments(self._count)}
        found = self._graph.invoke(state, _config(thread), durability="sync")
        assert "__interrupt__" in found, found
        return thread

    def answer(self, thread: str) -> None:
        """Resume a thread with an approve."""
        found = self._graph.invoke(Command(resume="approve"), _config(thread), durability="sync")
        assert found["result"] == "sent", found


def _config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


class LangGraph(Graph):
    """The graph on a SqliteSaver."""

    def __init__(self, directory: Path) -> None:
        self._connection = sqlite3.connect(directory / "langgraph.db", check_same_thread=False)
        saver = SqliteSaver(self._connection)
        saver.setup()
        self._connection.execute("PRAGMA synchronous=FULL")
        super().__init__(saver)

    def one(self) -> None:
        """One question and its answer."""
        self.answer(self.ask())

    def many(self, waiting: int) -> None:
        """So many questions, then their answers."""
        asked: Sequence[str] = [self.ask() for _ in range(waiting)]
        for thread in asked:
            self.answer(thread)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

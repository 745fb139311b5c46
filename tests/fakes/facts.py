"""A made-up machine for policy: links, names, case and home as a test says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from sayso.system import shell_parser


@dataclass
class FakeFacts:
    """Facts of a machine where everything is known and ordinary unless said otherwise."""

    home: str | None = "/home/u"
    windows: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    ignore_case: bool | None = False
    dns: Mapping[str, str] = field(default_factory=dict)
    unknown: bool = False
    asked: list[str] = field(default_factory=list)
    dialect: str = "bash"
    files: tuple[str, ...] | None = None
    repositories: frozenset[str] = frozenset()

    def resolve(self, path: str) -> str | None:
        if self.unknown:
            return None
        self.asked.append(path)
        drive, _, rest = path.partition("/") if self.windows else ("", "", path)
        todo = [part for part in reversed(rest.split("/")) if part]
        done: list[str] = []
        for _ in range(1000):
            if not todo:
                return f"{drive}/{'/'.join(done)}"
            part = todo.pop()
            if part == "..":
                done = done[:-1]
                continue
            if part == ".":
                continue
            target = self.links.get(f"{drive}/{'/'.join([*done, part])}")
            if target is None:
                done.append(part)
                continue
            if target.startswith("/"):
                done = []
            todo += [piece for piece in reversed(target.split("/")) if piece]
        return None

    def ignores_case(self, path: str) -> bool | None:
        return self.ignore_case

    def addresses(self, host: str) -> tuple[str, ...] | None:
        if self.unknown:
            return None
        self.asked.append(host)
        return (self.dns.get(host, "203.0.113.7"),)

    def syntax_tree(self, line: str) -> Mapping[str, Any] | str:
        return shell_parser.syntax_tree(line, self.dialect)

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """The files that are given, each absolute; unknown where none are."""
        if self.unknown or self.files is None:
            return None
        whole = pattern if pattern.startswith("/") else f"{folder}/{pattern}"
        parts = whole.split("/")
        return tuple(
            path
            for path in self.files
            if len(names := path.split("/")) == len(parts)
            and all(fnmatchcase(name, part) for name, part in zip(names, parts, strict=True))
        )

    def is_repository(self, path: str) -> bool | None:
        return None if self.unknown else path in self.repositories

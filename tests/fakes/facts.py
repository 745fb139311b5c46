"""A made-up machine for policy: links, names, case and home as a test says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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

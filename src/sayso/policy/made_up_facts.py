"""Facts of a made-up machine: links, names, case and files as somebody says, all else ordinary."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

SyntaxTree = Mapping[str, Any] | str
"""The syntax tree of a command line, or in words why there is none."""

LineParser = Callable[[str, str], SyntaxTree]
"""Reads a command line in a dialect; it comes from outside, for policy runs no program."""

MAX_STEPS = 1000

_A_FILE = re.compile(
    r"/[\w-]+\.(?:py|js|ts|jsx|tsx|json|md|txt|toml|ya?ml|rs|go|c|h|cpp|java|rb|php|html|css|sh|lock|log|csv|sql|xml)/"
)


def no_parser(line: str, dialect: str) -> SyntaxTree:
    """A parser that reads nothing."""
    del line, dialect
    return "there is no parser for command lines"


@dataclass
class MadeUpFacts:
    """A machine where everything is known and ordinary unless said otherwise.

    `links` are absolute paths and where each leads, `dns` the address of a name (others have a public
    one), `files` the absolute paths a glob can stand for (None = not known), `repositories` the tops of
    working trees. With `unknown` nothing is known of paths and names.
    """

    home: str | None = "/home/u"
    user: str | None = "u"
    windows: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    ignore_case: bool | None = False
    dns: Mapping[str, str] = field(default_factory=dict)
    unknown: bool = False
    dialect: str = "bash"
    files: tuple[str, ...] | None = None
    repositories: frozenset[str] = frozenset()
    parser: LineParser = no_parser

    def resolve(self, path: str) -> str | None:
        """The path with the given links followed; None for a circle of them."""
        if self.unknown:
            return None
        drive, _, rest = path.partition("/") if self.windows else ("", "", path)
        todo = [part for part in reversed(rest.split("/")) if part]
        done: list[str] = []
        for _ in range(MAX_STEPS):
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
        """Whether the file system ignores case: all of it, or nothing."""
        del path
        return self.ignore_case

    def addresses(self, host: str) -> tuple[str, ...] | None:
        """The given address of a name, else a public one."""
        return None if self.unknown else (self.dns.get(host, "203.0.113.7"),)

    def syntax_tree(self, line: str) -> SyntaxTree:
        """What the parser says of a command line."""
        return self.parser(line, self.dialect)

    def glob(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """Those of the given files that fit, each absolute; unknown where none are given.

        What has the ending of a text or a program is a file in any ordinary place, and nothing lies in it.
        """
        if self.unknown:
            return None
        whole = pattern if pattern.startswith("/") else f"{folder}/{pattern}"
        if self.files is None:
            return () if _A_FILE.search(whole) else None
        parts = whole.split("/")
        return tuple(
            path
            for path in self.files
            if len(names := path.split("/")) == len(parts)
            and all(fnmatchcase(name, part) for name, part in zip(names, parts, strict=True))
        )

    def is_repository(self, path: str) -> bool | None:
        """Whether the path is one of the given working trees."""
        return None if self.unknown else path in self.repositories

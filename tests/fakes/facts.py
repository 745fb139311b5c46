"""A made-up machine for policy: links, names, case and home as a test says."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.policy.made_up_facts import LineParser, MadeUpFacts
from sayso.system import shell_parser


@dataclass
class FakeFacts(MadeUpFacts):
    """Facts of a machine where everything is known and ordinary unless said otherwise.

    `asked` are the paths and names that were asked about; command lines are read by the real parser.
    """

    parser: LineParser = shell_parser.syntax_tree
    asked: list[str] = field(default_factory=list)

    def resolve(self, path: str) -> str | None:
        if not self.unknown:
            self.asked.append(path)
        return super().resolve(path)

    def addresses(self, host: str) -> tuple[str, ...] | None:
        if not self.unknown:
            self.asked.append(host)
        return super().addresses(host)

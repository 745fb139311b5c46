"""An index of patterns for hosts: names in dictionaries, classes and `*` in one short list."""

from __future__ import annotations

from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.spelling import skeleton
from sayso.policy.web_address import displayed_host


class HostIndex:
    """The rules for hosts of one source and one tool pattern."""

    __slots__ = (
        "_exact",
        "_parents",
        "_rest",
        "_seen",
        "_seen_parents",
        "_seen_stems",
        "by_address",
        "size",
    )

    def __init__(self) -> None:
        self._exact: dict[str, list[CompiledRule]] = {}
        self._parents: dict[str, list[CompiledRule]] = {}
        self._rest: list[CompiledRule] = []
        self._seen: dict[str, list[CompiledRule]] = {}
        self._seen_parents: dict[str, list[CompiledRule]] = {}
        self._seen_stems: list[CompiledRule] = []
        self.by_address: list[CompiledRule] = []
        self.size = 0

    def add(self, rule: CompiledRule) -> None:
        """Add a rule under the host it names."""
        pattern = rule.host
        assert pattern is not None
        self.size += 1
        if pattern.host is not None:
            self._exact.setdefault(pattern.host, []).append(rule)
        elif pattern.parent is not None:
            self._parents.setdefault(pattern.parent, []).append(rule)
        else:
            self._rest.append(rule)
        if rule.strict:
            return
        if pattern.by_address:
            self.by_address.append(rule)
        elif pattern.host is not None:
            self._seen.setdefault(pattern.seen, []).append(rule)
        elif pattern.parent is not None:
            self._seen_parents.setdefault(pattern.seen, []).append(rule)
        elif pattern.stem is not None:
            self._seen_stems.append(rule)

    def find(self, target: Target) -> tuple[list[CompiledRule], list[CompiledRule]]:
        """The rules that match a host target, and the denies and asks for a host it looks like."""
        places = [(target.host, target.scheme, target.port)] if target.host is not None else []
        places += [(other, None, None) for other in target.alternatives]
        found: list[CompiledRule] = []
        looks: list[CompiledRule] = []
        for host, scheme, port in places:
            for rule in self._candidates(host):
                pattern = rule.host
                assert pattern is not None
                if rule.strict and scheme is None:
                    continue
                if pattern.fits_host(host) and pattern.fits_place(scheme, port, strict=rule.strict):
                    found.append(rule)
            seen = skeleton(displayed_host(host))
            alike = [*self._seen.get(seen, ()), *_by_suffix(self._seen_parents, seen)]
            alike += [r for r in self._seen_stems if r.host is not None and r.host.looks_like(seen)]
            looks += [r for r in alike if r.host is not None and not r.host.fits_host(host)]
        if not places:
            found += [
                r for r in self._rest if r.host is not None and r.host.any_host and not r.strict
            ]
        return found, [rule for rule in looks if rule not in found]

    def _candidates(self, host: str) -> list[CompiledRule]:
        return [*self._exact.get(host, ()), *_by_suffix(self._parents, host), *self._rest]


def _by_suffix(parents: dict[str, list[CompiledRule]], host: str) -> list[CompiledRule]:
    found: list[CompiledRule] = []
    if parents:
        place = host.find(".")
        while place >= 0:
            found += parents.get(host[place + 1 :], ())
            place = host.find(".", place + 1)
    return found

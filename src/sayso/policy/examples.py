"""A rule's own examples: what it must match, and what it must not (POL-10, POL-70)."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.errors import CallInvalid, RuleRefused
from sayso.policy.descriptors import Descriptors
from sayso.policy.facts import Facts
from sayso.policy.made_up_facts import MadeUpFacts, SyntaxTree
from sayso.policy.rule import Rule
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.tester import try_rule

MAX_EXAMPLES = 200


def check_examples(rule: Rule, facts: Facts, descriptors: Descriptors = SHIPPED) -> None:
    """Raise RuleRefused, naming the first, if an example of the rule is not as it says."""
    for failure in failing_examples(rule, facts, descriptors):
        raise RuleRefused(failure, "mend the rule, or the example")


def failing_examples(rule: Rule, facts: Facts, descriptors: Descriptors = SHIPPED) -> Iterator[str]:
    """In a sentence each, the examples that the rule does not match and the others that it does.

    They are tried in an ordinary machine with the home, dialect and parser of `facts`, so that what is
    found does not depend on the links of the day. Raises RuleSyntaxError and RuleRefused for a rule
    that cannot stand.
    """
    if not rule.examples and not rule.counter_examples:
        return
    if len(rule.examples) + len(rule.counter_examples) > MAX_EXAMPLES:
        yield f"the rule has more than {MAX_EXAMPLES} examples"
        return
    world = _ordinary(facts)
    for examples, wanted in ((rule.examples, True), (rule.counter_examples, False)):
        for example in examples:
            shown = f"`{example[:200]}`"
            try:
                applies = try_rule(rule, example, descriptors, world).applies
            except CallInvalid as error:
                yield f"the example {shown} cannot be read: {error.message}"
                continue
            if applies is not wanted:
                does = "does not match" if wanted else "matches"
                must = "must" if wanted else "must not"
                yield f"the rule `{rule.text}` {does} {shown}, which it {must} match"


def _ordinary(facts: Facts) -> MadeUpFacts:
    def parser(line: str, dialect: str) -> SyntaxTree:
        del dialect
        return facts.syntax_tree(line)

    return MadeUpFacts(home=facts.home, windows=facts.windows, dialect=facts.dialect, parser=parser)

"""However a command is spelled, a deny for it holds; whatever looks like it, an allow is for it alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given

from sayso.core.effect import Effect
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import randoms
from tests.unit.policy.worlds import call

DENIED = (
    ("shell(rm *)", "rm -rf build"),
    ("shell(rm -rf *)", "rm -rf build"),
    ("shell(rm -rf *)", "rm build -f -R"),
    ("shell(git push *)", "git push origin topic"),
    ("shell(git push --force *)", "git push origin -f topic"),
    ("shell(npm publish *)", "npm publish --tag x"),
    ("shell(curl -X DELETE *)", "curl -s -XDELETE https://example.com"),
    ("shell(kubectl delete *)", "kubectl -n prod delete pod x"),
)
MEANWHILE = ("ls", "echo ok", "cd src", "true", "printf x")
TRANSPARENT = (
    "timeout 5",
    "nohup",
    "nice -n 5",
    "stdbuf -oL",
    "command",
    "env CI=1",
    "/usr/bin/env",
)
WRAPPERS = (
    *TRANSPARENT, "sudo -u root", "doas", "setsid -f", "ionice -c3", "exec", "env -i A=1", "busybox",
    "chroot /mnt", "strace -f", "xargs -0", "find . -exec", "devbox run", "docker exec box",
)  # fmt: skip
ASSIGNMENTS = ("FOO=bar", "LD_PRELOAD=x.so", "CI=1 PATH=/tmp", "A='b c'")


def _quoted(r: random.Random, word: str) -> str:
    if len(word) < 2:
        return word
    at = r.randrange(1, len(word))
    return r.choice(
        [f"'{word}'", f'"{word}"', f"{word[:at]}''{word[at:]}", f"{word[:at]}\\{word[at:]}"]
    )


def _respelled(r: random.Random, line: str) -> str:
    """The command, run in one of the many ways in which a shell runs it."""
    program, _, rest = line.partition(" ")
    if r.random() < 0.3:
        program = r.choice(["/bin/", "/usr/bin/", "/opt/x/", "./"]) + program
    if r.random() < 0.3:
        program = _quoted(r, program)
    if r.random() < 0.2 and line.startswith("git "):
        rest = r.choice(["-C . ", "--no-pager ", "-c a.b=c ", "--git-dir=.git "]) + rest
    line = f"{program} {rest}"
    for _ in range(r.randrange(3)):
        line = r.choice(_WAYS)(r, line)
    return line


def _wrapped(r: random.Random, line: str) -> str:
    wrapper = r.choice(WRAPPERS)
    if "exec" in (wrapper, wrapper[-4:]) and wrapper != "exec":
        return f"{wrapper} {line} ';'" if not set(";&|(){}'\\\"=") & set(line) else line
    return f"{wrapper} {line}" if not any(c in line for c in ";&|(){}=") else line


def _in_a_shell(r: random.Random, line: str) -> str:
    text = line.replace("'", "'\\''")
    return f"{r.choice(['bash -c', 'sh -ec', 'bash -lc', 'eval'])} '{text}'"


_WAYS: tuple[Callable[[random.Random, str], str], ...] = (
    _wrapped,
    _in_a_shell,
    lambda r, line: f"{r.choice(ASSIGNMENTS)} {line}" if not set(";&|(){}") & set(line) else line,
    lambda r, line: f"{r.choice(MEANWHILE)}{r.choice([' && ', '; ', ' | ', ' || ', ' & '])}{line}",
    lambda r, line: f"{line}{r.choice([' && ', '; ', ' | '])}{r.choice(MEANWHILE)}",
    lambda r, line: r.choice([f"({line})", f"echo $({line})", f"if {line}; then ls; fi"]),
)


@pytest.mark.spec("POL-31", "POL-32", "POL-38")
@given(r=randoms)
def test_a_deny_sees_through_spelling(r: random.Random) -> None:
    pattern, line = r.choice(DENIED)
    text = _respelled(r, line)
    rules = [
        parse_text_rule("allow", "shell(*)", Origin.GLOBAL),
        parse_text_rule("deny", pattern, Origin.GLOBAL),
    ]
    facts = FakeFacts()
    said = judge(call("execute_cmd", command=text), compile_ruleset(rules, [], SHIPPED), facts)
    assert said.effect is Effect.DENY, f"{text}\n{said.trace()}"


ALLOWED = (
    ("shell(ls *)", "ls -la"),
    ("shell(git log *)", "git log -1"),
    ("shell(npm test)", "npm test"),
)
OTHERS: tuple[Callable[[random.Random, str], str], ...] = (
    lambda r, line: r.choice(["/tmp/", "./", "../bin/", "/usr/bin/../x/", "bin/"]) + line,
    lambda r, line: f"{r.choice(ASSIGNMENTS)} {line}",
    lambda r, line: f"{r.choice(['export PATH=/tmp', 'PAGER=x', 'BASH_ENV=x'])}; {line}",
    lambda r, line: f"{line}{r.choice([' && ', '; ', ' | ', ' & '])}touch owned",
    lambda r, line: f"{line} $(touch owned)",
    lambda r, line: f"{line} > ../owned",
    lambda r, line: (
        f"{r.choice(['sudo', 'setsid', 'exec', 'env -i', '/tmp/env', '/tmp/timeout 5'])} {line}"
    ),
    lambda r, line: line.upper(),
    lambda r, line: line.replace(line[0], f"{line[0]}x", 1),
)


@pytest.mark.spec("POL-32", "POL-33", "POL-38")
@given(r=randoms)
def test_an_allow_is_for_what_it_names(r: random.Random) -> None:
    pattern, line = r.choice(ALLOWED)
    rules = [parse_text_rule("allow", pattern, Origin.GLOBAL)]
    ruleset = compile_ruleset(rules, [], SHIPPED)
    if r.random() < 0.5:
        line = f"{r.choice(TRANSPARENT)} {line}"
    facts = FakeFacts()
    assert judge(call("execute_cmd", command=line), ruleset, facts).effect is Effect.ALLOW, line
    other = r.choice(OTHERS)(r, line)
    said = judge(call("execute_cmd", command=other), ruleset, facts)
    assert said.effect is Effect.ASK, f"{other}\n{said.trace()}"

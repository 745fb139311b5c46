"""Which command lines only read, where the run context lets them (POL-35)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.reason import Reason
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.verdict import Verdict
from sayso.people.directory import Directory
from sayso.people.person import OWNER, owner
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call, at

pytestmark = pytest.mark.spec("POL-35")

FILES = ("/w", "/w/a.txt", "/w/src", "/w/src/b.py", "/w/docs", "/w/docs/c.md")
THERE = Circumstances(readable=("/w",), read_only_defaults=True)


def said(
    line: str,
    *lists: tuple[str, str],
    files: tuple[str, ...] = FILES,
    there: Circumstances = THERE,
    tool: str = "Bash",
    links: dict[str, str] | None = None,
    table: tuple[Rule, ...] = (),
    repositories: tuple[str, ...] = ("/w",),
    **more: Any,
) -> Verdict:
    """The verdict on a command line where these rules and the built-in protection count."""
    facts = FakeFacts(files=files, links=links or {}, repositories=frozenset(repositories))
    rules = [parse_text_rule(effect, text, Origin.GLOBAL) for effect, text in lists]
    ruleset = compile_ruleset([*protected_rules(), *rules], table, SHIPPED, facts=facts)
    arguments = {"command": line, **more}
    call = a_call(tool=tool, arguments=arguments, workspace="/w")
    context = Context(people=Directory({OWNER: owner()}), circumstances=there)
    return decide(call, ruleset, (), context, facts, at(0))


READING = [
    "ls", "ls -la src", "pwd", "cat a.txt", "head -n 5 a.txt | wc -l", "cat src/*.py", "git status",
    "git log --oneline -5", "git diff HEAD", "git show HEAD:a.txt", "git blame a.txt", "git rev-parse HEAD",
    "git --no-pager diff", "grep -rn foo .", "grep foo a.txt", "rg foo", "rg foo src", "diff a.txt src/b.py",
    "diff --no-dereference -r src docs", "diff -u a.txt docs/c.md", "git show HEAD:src/b.py",
    "which python", "df .", "du -sh src", "stat a.txt", "/bin/ls", "ls 2>/dev/null", "cat < a.txt", "ls -R",
    "LC_ALL=C ls", "ls && git status; pwd", "tail -f a.txt", "cat /w/a.txt", "git diff > /dev/null 2>&1",
]  # fmt: skip

NOT_READING = [
    "rm a.txt", "ls > out", "ls >> a.txt", "cat a.txt | tee x", "git push", "git -c core.pager=x log",
    "git diff --output=x", "git diff --ext-diff", "git log --textconv -p", "git -C /elsewhere status",
    "rg --pre=x foo", "rg --hostname-bin=x foo", "cat /etc/passwd", "ls /", "ls ..", "cat ../x", "cat ~/x",
    "grep -r foo /", "cat $X", "cat $(pwd)", "ls; rm x", "LD_PRELOAD=x ls", "timeout 5 ls", "xargs cat",
    "find . -name x", "sort a.txt", "./ls", "src/ls", "cd src && ls", "env ls", "X=1", "", "git", "git -p",
    "wc --files0-from=a.txt", "du --files0-from=a.txt", "cat <(ls)", "cat http://x.example/", "sudo ls",
    "cat a.txt &> out", "ls | sh", "diff --from-file=/etc/passwd a.txt", "git diff --no-index a.txt b",
    "ls() { rm x; }; ls", "git show HEAD:../x", "cat /dev/sda", "grep -f /etc/shadow a.txt", "alias ls=rm; ls",
    "git log --show-signature", "eval ls", "export PATH=/x; ls", "git difftool", "git grep foo",
]  # fmt: skip


def test_what_only_reads_does_not_ask() -> None:
    for line in READING:
        verdict = said(line)
        assert (verdict.effect, verdict.reason) == (Effect.ALLOW, Reason.READ_ONLY), line
        assert [grant.to_json()["label"] for grant in verdict.by] == ["the read-only defaults"], (
            line
        )


def test_what_does_more_asks_or_is_refused() -> None:
    for line in NOT_READING:
        verdict = said(line)
        assert verdict.effect is not Effect.ALLOW, line
        assert verdict.reason is not Reason.READ_ONLY, line


def test_a_workspace_can_turn_it_off() -> None:
    off = replace(THERE, read_only_defaults=False)
    assert said("ls", there=off).reason is Reason.NO_RULE


def test_only_where_the_run_context_lets_read() -> None:
    elsewhere = replace(THERE, readable=("/w/docs",))
    assert said("ls", there=elsewhere).effect is Effect.ASK
    assert (
        said("cat /w/docs/c.md", there=elsewhere).effect is Effect.ASK
    )  # it runs in a folder beside them
    writable = replace(THERE, readable=(), writable=("/w",))
    assert said("cat a.txt", there=writable).reason is Reason.READ_ONLY
    more = replace(THERE, readable=("/w", "/data/x"))
    assert said("cat /data/x/y", there=more).reason is Reason.READ_ONLY
    assert said("cat /data/xy", there=more).effect is Effect.ASK


def test_a_link_out_of_what_may_be_read_is_followed() -> None:
    assert said("cat a.txt", links={"/w/a.txt": "/etc/hosts"}).effect is Effect.ASK
    assert said("ls src", links={"/w/src": "/home/u"}).effect is Effect.ASK
    assert said("cat /x/a.txt", links={"/x": "/w"}).reason is Reason.READ_ONLY


def test_it_beats_no_deny_no_must_ask_and_no_doubt() -> None:
    assert said("cat a.txt", ("deny", "read(a.txt)")).reason is Reason.RULE_DENY
    assert said("ls", ("deny", "shell(ls *)")).reason is Reason.RULE_DENY
    assert said("ls", ("ask", "shell(ls *)")).reason is Reason.MUST_ASK
    assert said("cat .env").reason is Reason.MUST_ASK
    unseen = said("cat 'a\u202e.txt'")
    assert unseen.effect is Effect.ASK


@pytest.mark.parametrize("secret", ["/w/.env", "/w/src/.env", "/w/key.pem", "/w/src/id_rsa"])
def test_a_walk_past_what_is_protected_asks(secret: str) -> None:
    files = (*FILES, secret)
    assert said("grep -r foo .", files=files).effect is Effect.ASK
    assert said("grep -r foo docs", files=files).reason is Reason.READ_ONLY
    assert said("rg --hidden foo", files=files).effect is Effect.ASK
    assert said("rg -uu foo", files=files).effect is Effect.ASK
    assert said("rg -g '.env' foo", files=files).effect is Effect.ASK
    hidden = "/." in secret  # which rg passes over by itself
    assert (said("rg foo", files=files).reason is Reason.READ_ONLY) == hidden
    for line in ("ls", "ls -R", "git diff", "du -s ."):
        assert said(line, files=files).reason is Reason.READ_ONLY


def test_what_only_looks_protected_is_walked() -> None:
    files = (*FILES, "/w/.env.example", "/w/id_rsa.pub")
    assert said("grep -r foo .", files=files).reason is Reason.READ_ONLY
    assert said("grep -r foo .", files=(*files, "/w/.env.local")).effect is Effect.ASK


def test_a_walk_past_what_people_denied_asks() -> None:
    for effect in ("deny", "ask"):
        for line in (
            "grep -r foo .",
            "rg foo",
            "git diff",
            "git show HEAD",
            "git log -p",
            "ls -R",
            "du .",
        ):
            assert said(line, (effect, "read(docs/**)")).effect is Effect.ASK, line
        for line in ("ls", "git status", "cat a.txt", "grep -r foo src", "git blame a.txt"):
            assert said(line, (effect, "read(docs/**)")).reason is Reason.READ_ONLY, line


def test_what_is_said_of_how_a_line_runs_asks() -> None:
    assert said("ls", description="list", timeout=5).reason is Reason.READ_ONLY
    assert said("ls", workdir="/etc").effect is Effect.ASK
    assert said("ls", env={"PATH": "/x"}).effect is Effect.ASK


def test_only_a_tool_that_runs_command_lines_here_has_them() -> None:
    assert said("ls", tool="send_mail").effect is Effect.ASK
    assert said("ls", tool="mcp__files__Bash").effect is Effect.ASK


def test_a_row_about_a_file_asks_even_so() -> None:
    row = Rule("r", Effect.ASK, Origin.DATABASE, tool_pattern="@fs_any", path_pattern="a.txt")
    verdict = said("cat a.txt", table=(row,))
    assert (verdict.effect, verdict.reason) == (Effect.ASK, Reason.RULE_ASK)
    assert said("cat src/b.py", table=(row,)).reason is Reason.READ_ONLY


GIT = ["git status", "git log --oneline", "git diff", "git show HEAD:a.txt", "git blame a.txt"]


def test_git_asks_where_the_workspace_is_no_top_of_a_repository() -> None:
    # Below one it tells of the rest of the tree; beside none it takes files that lie there for a bare one.
    for line in GIT:
        assert said(line, repositories=()).effect is Effect.ASK, line
        assert said(line, repositories=("/",)).effect is Effect.ASK, line
        for name in ("HEAD", "head"):
            assert said(line, files=(*FILES, f"/w/{name}")).effect is Effect.ASK, line
    assert said("ls", repositories=()).reason is Reason.READ_ONLY


def test_git_asks_where_the_agent_writes_unasked() -> None:
    # What a repository's configuration names and git runs may lie anywhere in the tree.
    for there in (replace(THERE, mode=Mode.ACCEPT_EDITS), replace(THERE, writable=("/w/hooks",))):
        for line in GIT:
            assert said(line, there=there).effect is Effect.ASK, line
        assert said("cat a.txt", there=there).reason is Reason.READ_ONLY


def test_hooks_of_git_are_protected_where_they_usually_lie() -> None:
    for path in (".githooks/post-index-change", ".git-hooks/pre-commit"):
        verdict = said(f"touch {path}", ("allow", "shell(touch *)"), ("allow", "write(*)"))
        assert verdict.reason is Reason.MUST_ASK, path


def test_a_walk_that_follows_links_asks() -> None:
    for line in (
        "grep -R foo docs", "grep -nR foo docs", "grep -rS foo docs", "grep --dereference-r foo docs",
        "rg -L foo docs", "rg -nL foo", "rg --follow foo docs", "diff -r docs src", "diff docs src",
        "diff -rN docs src", "diff a.txt docs", "ls -RL docs", "du -aL docs", "du --dereference docs",
    ):  # fmt: skip
        assert said(line).effect is Effect.ASK, line


def test_a_walk_is_seen_under_a_shortened_option_and_in_a_diff_of_folders() -> None:
    files = (*FILES, "/w/.env")
    for line in (
        "diff -N . docs", "diff . src", "diff --no-dereference . docs", "diff --recurs -N . docs",
        "grep --recu foo .", "grep --derefer foo .", "grep -D read --recurs foo",
    ):  # fmt: skip
        assert said(line, files=files).effect is Effect.ASK, line


def test_a_status_with_contents_asks_where_people_denied_some() -> None:
    denied = ("deny", "read(docs/**)")
    for line in ("git status -v", "git status -sv", "git status -vv", "git status --verb"):
        assert said(line, denied).effect is Effect.ASK, line
        assert said(line).reason is Reason.READ_ONLY, line
    assert said("git rev-parse --verify HEAD", denied).reason is Reason.READ_ONLY
    assert said("git status --porcelain=v2", denied).reason is Reason.READ_ONLY


def test_a_file_of_the_index_is_named_behind_any_colon() -> None:
    for line in ("git show :0:.env", "git show :.env", "git show HEAD:.env", "git log -L:f:.env"):
        assert said(line).reason is Reason.MUST_ASK, line


def test_a_shortened_list_of_files_asks() -> None:
    for line in ("wc --files=- < a.txt", "wc --f=- < a.txt", "wc --file=-", "du --fi=-"):
        assert said(line).effect is Effect.ASK, line

"""What modes, run contexts and settings imply: which part of a call they lift, and what they say of it."""

from __future__ import annotations

from typing import Any

from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.operation import Operation
from sayso.core.reason import Reason
from sayso.core.run_context import RunContext
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.explain import explain, verdict_message
from sayso.gate.opinion import Opinion
from sayso.gate.verdict import Verdict
from sayso.people.directory import Directory
from sayso.people.person import OWNER, Person, owner
from sayso.policy.descriptors import PathArgument, ToolDescriptor, ToolKind
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call, at

FILES = ("/w", "/w/a.txt", "/w/src", "/w/src/b.py")
ME = Directory({OWNER: owner()})


def call(tool: str, **arguments: Any) -> ToolCall:
    return a_call(tool=tool, arguments=arguments, workspace="/w")


def row(effect: str = "ask", tool: str = "*", **more: Any) -> Rule:
    """A row of the rule table, as a person writes it."""
    return Rule(f"{tool}{more}", Effect.parse(effect), Origin.DATABASE, tool_pattern=tool, **more)


def said(
    one: ToolCall,
    *rules: Rule,
    allowed: tuple[str, ...] = (),
    files: tuple[str, ...] | None = FILES,
    links: dict[str, str] | None = None,
    people: Directory = ME,
    described: tuple[ToolDescriptor, ...] = (),
    opinion: Opinion | None = None,
    **there: Any,
) -> Verdict:
    """The verdict in these circumstances, beside the built-in protection."""
    facts = FakeFacts(files=files, links=links or {}, repositories=frozenset(["/w"]))
    lists = [parse_text_rule(Effect.ALLOW, text, Origin.GLOBAL) for text in allowed]
    known = SHIPPED.adding(described)
    ruleset = compile_ruleset([*protected_rules(), *lists], rules, known, facts=facts)
    context = Context(people=people, circumstances=Circumstances(**there), opinion=opinion)
    return decide(one, ruleset, (), context, facts, at(0))


EDITS: dict[str, Any] = {"mode": Mode.ACCEPT_EDITS}


def test_accept_edits_takes_files_below_the_workspace_alone() -> None:
    inside = said(call("write_file", path="a.txt"), **EDITS)
    assert (inside.effect, inside.reason) == (Effect.ALLOW, Reason.MODE_ACCEPT_EDITS)
    assert said(call("delete_file", path="src/b.py"), **EDITS).effect is Effect.ALLOW
    assert said(call("move_file", source="a.txt", destination="b"), **EDITS).effect is Effect.ALLOW
    for one in (
        call("write_file", path="/etc/hosts"),
        call("write_file", path="../a.txt"),
        call("write_file", path="~/a.txt"),
        call("write_file", path="/w"),
        call("move_file", source="a.txt", destination="/tmp/a.txt"),
        call("read_file", path="/etc/hosts"),
        call("write_file", path=".git/config"),
        call("delete_file", path="."),
        call("Bash", command="rm a.txt"),
        call("send_mail", path="a.txt"),
    ):
        assert said(one, **EDITS).effect is Effect.ASK, one
    away = said(call("write_file", path="a.txt"), links={"/w/a.txt": "/etc/a"}, **EDITS)
    assert away.effect is Effect.ASK
    nowhere = a_call(tool="write_file", arguments={"path": "/w/a.txt"}, workspace=None)
    assert said(nowhere, **EDITS).effect is Effect.ASK
    root = a_call(tool="write_file", arguments={"path": "/a.txt"}, workspace="/")
    assert said(root, **EDITS).effect is Effect.ASK


def test_accept_edits_takes_nothing_in_the_home_above_it_or_in_a_folder_of_the_system() -> None:
    def effect(workspace: str, links: dict[str, str] | None = None) -> Effect:
        one = a_call(tool="write_file", arguments={"path": "new"}, workspace=workspace)
        return said(one, links=links, **EDITS).effect

    for wide in (
        *("/", "/home", "/home/u", "/home/u/", "/home/u/x/..", "/tmp", "/var", "/opt", "/etc"),
        *("/etc/xdg", "/usr", "/usr/local", "/usr/bin", "/lib/x", "/boot", "/var/spool/x", "/dev"),
        *("/private/etc", "/Library/LaunchDaemons"),
    ):
        assert effect(wide) is Effect.ASK, wide
    assert effect("/link", {"/link": "/home/u"}) is Effect.ASK
    assert effect("/link", {"/link": "/etc"}) is Effect.ASK
    for narrow in ("/home/u/x", "/home/u2", "/tmp/x", "/opt/x", "/etcetera", "/usr/src/app", "/w"):
        assert effect(narrow) is Effect.ALLOW, narrow


def test_a_folder_with_something_in_it_is_not_deleted_or_moved_unasked() -> None:
    files = (*FILES, "/w/sub", "/w/sub/a", "/w/sub/a/b", "/w/sub/a/b/.git", "/w/dots", "/w/dots/.x")
    calls = [
        call("delete_file", path="sub"),
        call("delete_file", path="dots"),
        call("move_file", source="sub", destination="x"),
    ]
    for there in (EDITS, {"writable": ("/w",)}):
        for one in calls:
            assert said(one, files=files, **there).effect is Effect.ASK, one
        unknown = said(call("delete_file", path="a"), files=None, **there)
        assert unknown.effect is Effect.ASK, "it may be a folder"
        for single in (
            call("delete_file", path="a.txt"),
            call("move_file", source="a.txt", destination="sub/c.txt"),
            call("write_file", path="sub/c.txt"),
        ):
            assert said(single, files=files, **there).effect is Effect.ALLOW, single


def test_accept_edits_takes_a_redirection_whose_command_is_allowed() -> None:
    line = call("Bash", command="echo x > a.txt")
    assert said(line, **EDITS).effect is Effect.ASK
    verdict = said(line, allowed=("shell(echo *)",), **EDITS)
    assert verdict.reason is Reason.MODE_ACCEPT_EDITS
    away = call("Bash", command="echo x > /tmp/a.txt")
    assert said(away, allowed=("shell(echo *)",), **EDITS).effect is Effect.ASK


def test_a_tool_that_does_more_than_edit_files_is_no_edit() -> None:
    described = (ToolDescriptor("deploy", paths=(PathArgument("path", Operation.WRITE),)),)
    one = call("deploy", path="a.txt")
    assert said(one, described=described, **EDITS).effect is Effect.ASK
    writable = said(one, described=described, writable=("/w",))
    assert writable.effect is Effect.ASK
    kind = ToolKind.WRITE_FILE
    editor = (ToolDescriptor("deploy", kind, paths=(PathArgument("path", Operation.WRITE),)),)
    assert said(one, described=editor, **EDITS).effect is Effect.ALLOW


def test_the_paths_of_a_run_context_are_lifted_by_what_is_done_to_them() -> None:
    there: dict[str, Any] = {"readable": ("/w",), "writable": ("/w/src", "/w/one.txt")}
    reads = said(call("read_file", path="a.txt"), **there)
    assert (reads.effect, reads.reason) == (Effect.ALLOW, Reason.RUN_CONTEXT)
    assert said(call("write_file", path="src/b.py"), **there).reason is Reason.RUN_CONTEXT
    assert said(call("write_file", path="one.txt"), **there).reason is Reason.RUN_CONTEXT
    assert said(call("list_files"), **there).reason is Reason.RUN_CONTEXT
    for one in (
        call("write_file", path="a.txt"),
        call("write_file", path="one.txt.bak"),
        call("delete_file", path="srcs"),
        call("read_file", path="/etc/hosts"),
        call("read_file", path=".env"),
        call("move_file", source="src/b.py", destination="b.py"),
        call("Bash", command="cat a.txt"),
    ):
        assert said(one, **there).effect is Effect.ASK, one
    away = said(call("read_file", path="a.txt"), links={"/w/a.txt": "/etc/a"}, **there)
    assert away.effect is Effect.ASK


def test_a_search_past_what_is_protected_asks() -> None:
    search = call("grep_files", path=".", pattern="x")
    assert said(search, readable=("/w",)).reason is Reason.RUN_CONTEXT
    for secret in ("/w/.env", "/w/src/id_rsa"):
        assert said(search, files=(*FILES, secret), readable=("/w",)).effect is Effect.ASK
    assert said(search, files=None, readable=("/w",)).effect is Effect.ASK


def test_a_persons_own_row_asks_on_where_the_run_context_would_lift() -> None:
    one = call("read_file", path="a.txt")
    seeded = said(one, row(seeded=True), readable=("/w",))
    assert seeded.reason is Reason.RUN_CONTEXT
    assert said(one, row(), readable=("/w",)).reason is Reason.RULE_ASK
    assert said(one, row("ask", "@fs_read"), readable=("/w",)).reason is Reason.RULE_ASK


def test_low_severity_is_lifted_up_to_what_the_context_names() -> None:
    for severity in Severity:
        asks = row(approval=ApprovalPolicy(severity=severity))
        for highest in Severity:
            run = RunContext(name="quick", auto_approve_severity=highest)
            verdict = said(call("send_mail"), asks, run_context=run)
            assert (verdict.reason is Reason.AUTO_SEVERITY) == (severity <= highest)
    told = explain(
        said(call("send_mail"), run_context=RunContext(auto_approve_severity=Severity.HIGH))
    )
    assert "lifted by the run context Default, up to the severity high" in told


def test_several_grants_lift_a_call_together_and_the_last_one_names_the_reason() -> None:
    two = call("move_file", source="src/b.py", destination="/out/b.py")
    assert said(two, **EDITS).effect is Effect.ASK
    assert said(two, writable=("/out",)).effect is Effect.ASK
    verdict = said(two, writable=("/out",), **EDITS)
    assert (verdict.effect, verdict.reason) == (Effect.ALLOW, Reason.RUN_CONTEXT)
    assert [grant.to_json()["reason"] for grant in verdict.by] == [
        "mode-accept-edits",
        "run-context",
    ]
    assert verdict.to_json()["granted"][0]["by"] == OWNER


def test_the_commands_of_the_settings_are_read_as_strictly_as_any_allow() -> None:
    texts = ("shell(npm test)", "shell(git *)", "tool(*)", "nonsense(")
    for line in ("npm test", "git push", "npm test && git push"):
        verdict = said(call("Bash", command=line), auto_approve_commands=texts)
        assert verdict.reason is Reason.AUTO_POLICY, line
    for line in (
        "npm testing",
        "npm test; rm x",
        "git -c core.pager=x log",
        "X=1 git push",
        "git push > x",
    ):
        assert said(call("Bash", command=line), auto_approve_commands=texts).effect is Effect.ASK, (
            line
        )
    assert said(call("send_mail"), auto_approve_commands=texts).effect is Effect.ASK


def test_nothing_implied_counts_for_who_could_not_approve_it() -> None:
    """Somebody who is not the session's user, or is nobody any more, or has to be asked elsewhere."""
    one, highest = call("write_file", path="a.txt"), RunContext(auto_approve_severity=Severity.HIGH)
    everything: dict[str, Any] = {
        "mode": Mode.BYPASS, "sandboxed": True, "run_context": highest, "readable": ("/w",),
        "writable": ("/w",), "read_only_defaults": True,
    }  # fmt: skip
    assert said(one, row(), **everything).reason is Reason.MODE_BYPASS
    gone = Directory({OWNER: Person(OWNER, OWNER, admin=True, enabled=False)})
    for people in (Directory(), gone, Directory({"anna": Person("anna", "anna", admin=True)})):
        assert said(one, row(), people=people, **everything).effect is Effect.ASK
    named = Directory({"otto": Person("otto", "otto", identities=("tg:7",))})
    mine = a_call(tool="write_file", arguments={"path": "/w/a.txt"}, user_id="tg:7")
    assert said(mine, row(), people=named, **everything).reason is Reason.MODE_BYPASS
    for policy in (
        ApprovalPolicy(approvers=(OWNER,), self_approval=True),
        ApprovalPolicy(quorum=2),
        ApprovalPolicy(role="legal"),
    ):
        assert said(one, row(approval=policy), **everything).effect is Effect.ASK, policy


def test_bypass_counts_inside_the_sandbox_alone_and_lifts_what_is_in_doubt() -> None:
    doubtful = call("Bash", command="$X build")
    assert said(doubtful, mode=Mode.BYPASS).effect is Effect.ASK
    assert said(doubtful, mode=Mode.BYPASS, sandboxed=True).reason is Reason.MODE_BYPASS
    assert said(doubtful, mode=Mode.DEFAULT, sandboxed=True).effect is Effect.ASK
    secret = call("read_file", path=".env")
    assert said(secret, mode=Mode.BYPASS, sandboxed=True).reason is Reason.MUST_ASK


def test_in_plan_mode_only_what_reads_passes() -> None:
    plan: dict[str, Any] = {"mode": Mode.PLAN, "readable": ("/w",)}
    allow_all = row("allow")
    for one in (
        call("read_file", path="a.txt"),
        call("grep_files", pattern="x"),
        call("Bash", command="git diff"),
        call("web_fetch", url="https://example.com/"),
        call("WebSearch", query="x"),
        call("ask_user", question="?"),
        call("todo", items=[]),
        call("exit_plan_mode", plan="x"),
        call("ExitPlanMode"),
    ):
        assert said(one, allow_all, **plan).effect is Effect.ALLOW, one
    for one in (
        call("write_file", path="a.txt"),
        call("Bash", command="npm test"),
        call("Bash", command="ls > x"),
        call("move_file", source="a", destination="b"),
        call("send_mail"),
        call("web_fetch", url="https://example.com/", method="POST", body="x"),
        call("remember", text="x"),
        call("execute_task", agent="x"),
        a_call(tool="todo", server="notes"),
        a_call(tool="fetch", server="web", arguments={"url": "https://example.com/"}),
    ):
        verdict = said(one, allow_all, **plan)
        assert (verdict.effect, verdict.reason) == (Effect.DENY, Reason.MODE_PLAN), one
        assert "plan mode" in verdict_message(verdict)
    marked = a_call(tool="fetch", server="web", arguments={"path": "/w/a.txt"})
    assert said(marked, allow_all, marked_read_only=True, **plan).effect is Effect.ALLOW
    asks = said(call("read_file", path="/etc/hosts"), row(), **plan)
    assert asks.effect is Effect.ASK
    denied = said(call("write_file", path="a.txt"), row("deny"), **plan)
    assert denied.reason is Reason.RULE_DENY
    alone = a_call(tool="send_mail", attended=False)
    assert said(alone, allow_all, **plan).reason is Reason.MODE_PLAN


def test_an_unattended_run_is_told_what_it_is_not_permitted() -> None:
    run = RunContext(name="nightly", permissions=("shell(git pull)", "read(docs/**)"))

    def alone(tool: str, **arguments: Any) -> Verdict:
        one = a_call(tool=tool, arguments=arguments, workspace="/w", attended=False)
        return said(one, row(), run_context=run)

    assert alone("Bash", command="git pull").reason is Reason.UNATTENDED_PERMITTED
    assert alone("read_file", path="docs/c.md").reason is Reason.UNATTENDED_PERMITTED
    for tool, arguments, what in (
        ("Bash", {"command": "git pull && rm x"}, "rm x"),
        ("Bash", {"command": "git pull > x"}, "/w/x"),
        ("read_file", {"path": "a.txt"}, "/w/a.txt"),
        ("send_mail", {}, "send_mail"),
        ("Bash", {"command": "$X"}, "$X"),
    ):
        verdict = alone(tool, **arguments)
        assert (verdict.effect, verdict.reason) == (Effect.DENY, Reason.UNATTENDED_REFUSED)
        told = f"`{what}` isn't among this unattended run's permissions"
        assert told in verdict_message(verdict)
        assert "`permissions` of the run context" in explain(verdict)


def test_an_unattended_run_has_its_read_only_defaults_and_paths() -> None:
    def alone(tool: str, **arguments: Any) -> Reason:
        one = a_call(tool=tool, arguments=arguments, workspace="/w", attended=False)
        run = RunContext(permissions=(), auto_approve_severity=Severity.HIGH)
        there: dict[str, Any] = {"readable": ("/w",), "read_only_defaults": True, "sandboxed": True}
        return said(one, run_context=run, mode=Mode.BYPASS, **there).reason

    assert alone("Bash", command="ls") is Reason.READ_ONLY
    assert alone("read_file", path="a.txt") is Reason.RUN_CONTEXT
    assert alone("write_file", path="a.txt") is Reason.UNATTENDED_REFUSED


def test_each_refusal_says_what_it_was_and_what_would_help() -> None:
    one = call("send_mail", to="a")
    dont_ask = said(one, mode=Mode.DONT_ASK)
    assert "dont-ask nobody is asked" in verdict_message(dont_ask)
    assert "another mode than dont-ask" in explain(dont_ask)
    assert "another mode than plan" in explain(said(one, mode=Mode.PLAN))

    def heard(reason: Reason, text: str) -> Verdict:
        digest = said(one).digest
        there: dict[str, Any] = {"mode": Mode.AUTO, "hooks": True, "reviewer": True}
        return said(one, opinion=Opinion(reason, digest, text), **there)

    hook = heard(Reason.HOOK_DENY, "no mail\non fridays")
    assert verdict_message(hook) == "refused by a permission hook of the user: no mail↵on fridays"
    assert "hook-deny: no mail↵on fridays" in explain(hook)
    assert verdict_message(heard(Reason.AUTO_DENY, "")) == "refused by the automatic review"
    assert heard(Reason.AUTO_ALLOW, "harmless").to_json()["said"] == "harmless"
    assert said(one).to_json()["said"] is None


def test_whatever_lets_a_call_run_a_denied_address_stays_denied() -> None:
    """A name is looked up only when something is about to let the call run; then its address counts."""
    fetch = call("web_fetch", url="https://in.example/")
    line = call("Bash", command="curl https://in.example/")
    private = Rule("p", Effect.DENY, Origin.GLOBAL, kind="web", pattern="private")
    run = RunContext(auto_approve_severity=Severity.HIGH)

    def decided(
        one: ToolCall, address: str, opinion: Opinion | None = None, **there: Any
    ) -> Verdict:
        facts = FakeFacts(dns={"in.example": address})
        ruleset = compile_ruleset([private], (), SHIPPED, facts=facts)
        context = Context(people=ME, circumstances=Circumstances(**there), opinion=opinion)
        verdict = decide(one, ruleset, (), context, facts, at(0))
        assert ("in.example" in facts.asked) == (verdict.reason is not Reason.NO_RULE)
        return verdict

    for one in (fetch, line):
        assert decided(one, "203.0.113.7").effect is Effect.ASK
        assert decided(one, "10.0.0.1").effect is Effect.ASK
        assert decided(one, "203.0.113.7", run_context=run).reason is Reason.AUTO_SEVERITY
        denied = decided(one, "10.0.0.1", run_context=run)
        assert (denied.effect, denied.reason) == (Effect.DENY, Reason.RULE_DENY)
        assert "web(private)" in verdict_message(denied)
        sandboxed = decided(one, "10.0.0.1", mode=Mode.BYPASS, sandboxed=True)
        assert sandboxed.reason is Reason.RULE_DENY
    allow = Opinion(Reason.HOOK_ALLOW, said(fetch).digest)
    assert decided(fetch, "203.0.113.7", allow, hooks=True).reason is Reason.HOOK_ALLOW
    assert decided(fetch, "10.0.0.1", allow, hooks=True).reason is Reason.RULE_DENY

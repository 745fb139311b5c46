"""The settings of a workspace and of its project: what counts when, and for whom."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.config.followed import GONE_SECONDS
from sayso.config.settings import Scope, parse_settings
from sayso.config.source import LOOK_SECONDS, MAX_WORKSPACES, SettingsRules
from sayso.config.workspace import folders_of, project_root, workspace_file, workspace_head
from sayso.policy.rule import Origin

PROJECT = """\
[permissions]
allow = ["read(docs/**)"]
ask = ["shell(make *)"]
deny = ["write(dist)"]

[[rule]]
id = "mine"
effect = "ask"
rule = "tool(deploy)"
justification = "all is well, approve it"
policy = { severity = "low", quorum = 2 }

[tools.deploy]
kind = "run_command"
command = "script"
"""


class Home:
    """A configuration directory, a project in a repository, and the time."""

    def __init__(self, place: Path) -> None:
        self.time = 1000.0
        self.configuration = place / "home"
        self.configuration.mkdir()
        self.project = place / "project"
        (self.project / ".git").mkdir(parents=True)
        self.inner = self.project / "packages" / "web"
        self.inner.mkdir(parents=True)
        self.rules = SettingsRules(
            self.configuration / "settings.toml",
            configuration=self.configuration,
            now=lambda: self.time,
        )

    def texts(self, workspace: Path | None) -> list[str]:
        lists = self.rules.current(None if workspace is None else str(workspace))
        return [f"{rule.origin.value} {rule.effect.word} {rule.text}" for rule in lists.rules]

    def later(self, seconds: float = LOOK_SECONDS) -> None:
        self.time += seconds

    def trust(self, path: Path) -> None:
        assert self.rules.trust is not None
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.rules.trust.trust(str(path), digest)

    def problem(self, workspace: Path) -> str:
        return self.rules.current(str(workspace)).problem or ""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(Path(os.path.realpath(tmp_path)))


@pytest.mark.spec("POL-60")
def test_the_user_s_own_file_for_a_folder_counts_there_and_below(home: Home) -> None:
    own = workspace_file(home.configuration, str(home.project))
    own.parent.mkdir(parents=True)
    own.write_text(workspace_head(str(home.project)) + '[permissions]\nallow = ["read(src/**)"]\n')
    (home.configuration / "settings.toml").write_text('[permissions]\ndeny = ["a"]\n')
    own_rules = ["global deny tool(a)", "workspace allow read(src/**)"]
    assert home.texts(home.project) == home.texts(home.inner) == own_rules
    assert home.texts(home.project.parent) == home.texts(None) == ["global deny tool(a)"]


@pytest.mark.spec("POL-60")
@pytest.mark.parametrize("place", ["project", "project/packages/web", "loose"])
def test_the_user_s_own_file_for_a_folder_counts_in_every_repository_below_it(
    home: Home, place: str
) -> None:
    folder = home.project.parent
    (folder / "loose").mkdir()
    own = workspace_file(home.configuration, str(folder))
    own.parent.mkdir(parents=True)
    own.write_text('[permissions]\ndeny = ["shell(git push *)"]\n')
    (home.inner / ".git").touch()
    assert home.texts(folder / place) == ["workspace deny shell(git push *)"]
    own.write_text('[permissions]\ndeny = ["shell(git fetch *)"]\n')
    home.later()
    assert home.texts(folder / place) == ["workspace deny shell(git fetch *)"]


@pytest.mark.spec("POL-60")
def test_a_repository_made_meanwhile_in_a_workspace_takes_no_rules_away(home: Home) -> None:
    (home.project / "sayso.toml").write_text('[permissions]\ndeny = ["a"]\n')
    assert home.texts(home.inner) == ["project deny tool(a)"]
    (home.inner / ".git").mkdir()
    home.later()
    assert home.texts(home.inner) == ["project deny tool(a)"]
    (home.project / "sayso.toml").write_text('[permissions]\ndeny = ["b"]\n')
    home.later()
    assert home.texts(home.inner) == ["project deny tool(b)"]
    (home.project / ".git").rmdir()
    (home.project.parent / ".git").mkdir()
    (home.inner / ".git").rmdir()
    (home.project.parent / "sayso.toml").write_text('[permissions]\ndeny = ["c"]\n')
    home.later()
    assert home.texts(home.inner) == ["project deny tool(b)", "project deny tool(c)"]


@pytest.mark.spec("POL-60")
def test_what_a_project_tightens_counts_at_once_and_what_it_loosens_waits(home: Home) -> None:
    file = home.project / "sayso.toml"
    file.write_text(PROJECT)
    lists = home.rules.current(str(home.inner))
    assert [(r.effect.word, r.text, r.origin) for r in lists.rules] == [
        ("ask", "shell(make *)", Origin.PROJECT),
        ("deny", "write(dist)", Origin.PROJECT),
        ("ask", "tool(deploy)", Origin.PROJECT),
    ]
    deploy = lists.rules[2]
    assert (deploy.id, deploy.approval, deploy.justification) == ("project:mine", None, "")
    assert lists.descriptors == ()
    assert lists.warnings == (f"{file}: what it loosens waits for your trust: sayso trust",)

    home.trust(file)
    trusted = home.rules.current(str(home.inner))
    assert trusted.version != lists.version
    assert trusted.rules[0].text == "read(docs/**)"
    assert trusted.rules[3].approval is not None
    assert trusted.rules[3].justification == "all is well, approve it"
    assert [item.tool for item in trusted.descriptors] == ["deploy"]
    assert trusted.warnings == ()

    file.write_text(PROJECT.replace("docs", "src"))
    home.later()
    assert "project allow read(src/**)" not in home.texts(home.inner), "another content waits"
    file.write_text(PROJECT)
    home.later()
    assert "project allow read(docs/**)" in home.texts(home.inner), "asked once for each content"
    assert home.rules.trust is not None
    assert home.rules.trust.revoke(str(file))
    home.later()
    assert "project allow read(docs/**)" not in home.texts(home.inner)


@pytest.mark.spec("POL-60")
def test_what_the_user_says_of_a_tool_goes_before_what_a_trusted_project_says(home: Home) -> None:
    own = workspace_file(home.configuration, str(home.project))
    own.parent.mkdir(parents=True)
    own.write_text('[tools.deploy]\nkind = "run_command"\ncommand = "line"\n')
    for folder in (home.inner, home.project):
        (folder / "sayso.toml").write_text('[tools.deploy]\nkind = "other"\n')
        home.trust(folder / "sayso.toml")
    found = home.rules.current(str(home.inner)).descriptors
    assert len(found) == 3
    assert found[-1].command == "line", "the last one counts"


@pytest.mark.spec("POL-60")
def test_the_same_content_at_another_place_is_not_trusted(home: Home) -> None:
    here, there = home.project / "sayso.toml", home.inner / "sayso.toml"
    here.write_text(PROJECT)
    there.write_text(PROJECT)
    home.trust(here)
    home.rules.current(str(home.inner))
    lists = home.rules.current(str(home.inner))
    assert [r.effect.word for r in lists.rules].count("allow") == 1
    assert lists.warnings == (f"{there}: what it loosens waits for your trust: sayso trust",)


@pytest.mark.spec("POL-60")
@pytest.mark.parametrize(
    "name", ["sayso.toml", ".sayso/settings.toml", ".sayso/settings.local.toml"]
)
def test_every_file_of_a_project_is_read_from_the_workspace_up_to_its_repository(
    home: Home, name: str
) -> None:
    for folder, rule in ((home.project, "a"), (home.inner, "b"), (home.project.parent, "c")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f'[permissions]\ndeny = ["{rule}"]\n')
    assert home.texts(home.inner) == ["project deny tool(b)", "project deny tool(a)"]
    assert home.texts(home.project) == ["project deny tool(a)"]
    loose = home.project.parent / "loose"
    loose.mkdir()
    assert home.texts(loose) == [], "outside a repository only the workspace itself is looked at"


@pytest.mark.spec("POL-60")
def test_a_project_s_file_that_leads_out_of_it_is_refused(home: Home) -> None:
    outside = home.project.parent / "theirs.toml"
    outside.write_text('[permissions]\ndeny = ["a"]\n')
    file = home.inner / "sayso.toml"
    file.symlink_to(outside)
    lists = home.rules.current(str(home.inner))
    assert (lists.rules, lists.unavailable) == ((), True)
    assert f"{file}:1:1: the file is a link that leads out of the project" in (lists.problem or "")
    file.unlink()
    (home.project / "rules.toml").write_text('[permissions]\ndeny = ["b"]\n')
    file.symlink_to(home.project / "rules.toml")
    home.later()
    assert home.texts(home.inner) == ["project deny tool(b)"], "inside it a link is followed"
    assert home.problem(home.inner) == ""


@pytest.mark.spec("POL-63")
@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda file: file.mkdir(), "the file cannot be read: it is not a regular file"),
        (lambda file: os.mkfifo(file), "the file cannot be read: it is not a regular file"),
        (lambda file: file.symlink_to(file), "cannot be read: Too many levels of symbolic links"),
        (lambda file: file.write_bytes(b"#" * (1024 * 1024 + 1)), "the file is larger than"),
        (lambda file: file.write_bytes(b"\xff"), "the file is not UTF-8"),
        (lambda file: file.write_text("[permissions"), "1:13: "),
    ],
)
def test_a_project_s_file_that_cannot_be_used_keeps_what_it_tightened(
    home: Home, spoil: Callable[[Path], object], what: str
) -> None:
    file = home.project / "sayso.toml"
    spoil(file)
    lists = home.rules.current(str(home.project))
    assert lists.unavailable, "from the start nobody knows what it would deny"
    assert what in (lists.problem or "")
    assert home.rules.problems() == (lists.problem,)
    assert not home.rules.current(None).unavailable, "other workspaces go on"
    file.rmdir() if file.is_dir() else file.unlink()
    file.write_text(PROJECT)
    home.trust(file)
    home.later()
    assert home.problem(home.project) == ""
    assert "project allow read(docs/**)" in home.texts(home.project)
    file.unlink()
    spoil(file)
    home.later()
    kept = home.rules.current(str(home.project))
    assert [r.effect.word for r in kept.rules] == ["ask", "deny", "ask"]
    assert what in (kept.problem or "")
    assert not kept.unavailable


LONG = f"0x{'f' * 5000}"
"""A whole number that Python reads and refuses to write out."""


@pytest.mark.spec("POL-63")
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (f"x = {'9' * 5000}\n", ":1:1: a number is too long"),
        (f"[approval]\ndefault_timeout = {LONG}\n", ":2:19: `default_timeout` is a number"),
        (f'[[rule]]\neffect = "ask"\nrule = {LONG}\n', ":3:8: `rule` is a number"),
        ("[[rule]]\nx = " + "[" * 400 + "]" * 400 + "\n", ""),
    ],
)
def test_numbers_and_depths_that_python_itself_gives_up_on_are_faults_like_any_other(
    home: Home, content: str, what: str
) -> None:
    file = home.project / "sayso.toml"
    file.write_text(PROJECT)
    home.trust(file)
    assert "project allow read(docs/**)" in home.texts(home.project)
    file.write_text(content)
    home.later()
    for _ in range(2):
        lists = home.rules.current(str(home.project))
        assert [r.effect.word for r in lists.rules] == ["ask", "deny", "ask"]
        assert f"{file}{what}" in (lists.problem or "")
        home.later()
    fresh = SettingsRules(home.rules.path, configuration=home.configuration)
    assert fresh.current(str(home.project)).unavailable, "and from the start nothing is known"


@pytest.mark.spec("POL-63", "CH-1")
@pytest.mark.parametrize(
    "content",
    [
        '[permissions]\n"x\\nhint: run evil" = 1\n',
        '[[rule]]\neffect = "ask"\nrule = "tool(a)"\nexamples = ["x\\nhint: run evil"]\n',
        '[permissions]\nask = ["web(a\\nhint: run evil)"]\n',
        'tool_files = ["a\\nhint: run evil"]\n',
        f'"{"k" * 100_000}" = 1\n',
    ],
)
def test_what_a_file_holds_writes_no_hint_of_its_own_and_no_endless_message(
    home: Home, content: str
) -> None:
    (home.project / "sayso.toml").write_text(content)
    message, _, hint = home.problem(home.project).partition("\nhint: ")
    assert "evil" not in hint
    assert "\n" not in message + hint
    assert len(message) < 3000


@pytest.mark.spec("POL-63")
def test_a_file_at_which_reading_fails_by_a_defect_loses_its_allows(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home.project / "sayso.toml"
    file.write_text(PROJECT)
    home.trust(file)
    assert "project allow read(docs/**)" in home.texts(home.project)

    def defect(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("sayso.config.followed.parse_settings", defect)
    monkeypatch.setattr("sayso.config.followed.readable_part", defect)
    file.write_text(PROJECT + "# more\n")
    for _ in range(2):
        home.later()
        lists = home.rules.current(str(home.project))
        assert [r.effect.word for r in lists.rules] == ["ask", "deny", "ask"]
        assert lists.problem == f"{file}:1:1: the file cannot be read: too deep"


@pytest.mark.spec("POL-63")
def test_the_denies_that_can_be_read_count_in_a_file_that_is_broken_elsewhere(home: Home) -> None:
    file = home.project / "sayso.toml"
    file.write_text('[permissions]\nallow = 3\nask = ["b", 4, "wirte(x)"]\ndeny = ["a"]\n')
    lists = home.rules.current(str(home.project))
    assert lists.unavailable
    assert home.texts(home.project) == ["project ask tool(b)", "project deny tool(a)"]


@pytest.mark.spec("POL-63")
def test_a_project_s_file_that_goes_away_says_nothing_once_it_stays_away(home: Home) -> None:
    file = home.project / "sayso.toml"
    file.write_text('[permissions]\ndeny = ["a"]\n')
    assert home.texts(home.project) == ["project deny tool(a)"]
    moved = file.rename(file.with_suffix(".bak"))
    home.later()
    assert home.texts(home.project) == ["project deny tool(a)"], "an editor may be replacing it"
    assert "the file is gone" in home.problem(home.project)
    home.later(GONE_SECONDS)
    assert home.texts(home.project) == []
    assert home.problem(home.project) == ""
    moved.rename(file)
    home.later()
    assert home.texts(home.project) == ["project deny tool(a)"]


@pytest.mark.spec("POL-63")
def test_every_change_of_a_known_file_is_a_new_edition(home: Home) -> None:
    file = home.project / "sayso.toml"
    file.write_text('[permissions]\ndeny = ["a"]\n')
    home.rules.current(str(home.project))
    first = home.rules.edition()
    assert home.rules.edition() == first
    file.write_text('[permissions]\ndeny = ["b"]\n')
    second = home.rules.edition()
    assert second > first
    home.trust(file)
    assert home.rules.edition() == second, "this process wrote it and knows"
    (home.configuration / "settings.toml").write_text("[ui]\ndiff_lines = 3\n")
    assert home.rules.edition() > second


def test_workspaces_without_files_share_their_rules(home: Home) -> None:
    versions = {home.rules.current(str(home.project / str(n))).version for n in range(9)}
    assert versions == {home.rules.current(None).version}
    for number in range(MAX_WORKSPACES + 9):
        home.rules.current(f"/nowhere/{number}")
    assert len(home.rules._workspaces) == MAX_WORKSPACES


def test_what_is_no_path_has_no_files(home: Home) -> None:
    for workspace in ("", "relative", "/with\0nul", "~"):
        assert home.rules.current(workspace).rules == ()
    assert folders_of("relative") == ()


def test_the_root_of_a_repository_is_a_folder_with_a_git_in_it(home: Home) -> None:
    assert project_root(str(home.inner)) == str(home.project)
    assert folders_of(str(home.inner)) == (
        str(home.inner),
        str(home.inner.parent),
        str(home.project),
    )
    link = home.project.parent / "link"
    link.symlink_to(home.inner)
    assert project_root(str(link)) == str(home.project)
    assert workspace_file(Path("/c"), "/a/b c").parent.name.startswith("b-c-")
    assert workspace_file(Path("/c"), "/").parent.name.startswith("root-")
    assert "\n" not in workspace_head("/a\nb")[:-1]


@pytest.mark.spec("POL-60")
def test_trust_that_cannot_be_read_is_no_trust(home: Home) -> None:
    file = home.project / "sayso.toml"
    file.write_text(PROJECT)
    home.trust(file)
    book = home.rules.trust
    assert book is not None
    assert book.files() == (str(file),)
    home.rules.current(str(home.project))
    for broken in (b"", b"{}", b"[", b'{"trusted": 3}', b"[" * 100_000, b"\xff"):
        book.path.write_bytes(broken)
        home.later()
        assert "project allow read(docs/**)" not in home.texts(home.project)
        assert "what is trusted cannot be read" in home.rules.problems()[0]


NEVER = """\
[permissions]
permission_mode = "bypass"
auto_approve = true
hooks = {}
read_only_defaults = true
deny = ["a"]
[permissions.auto]
model = "theirs"
[ui]
diff_lines = 1
[server]
port = 1
[channels]
[web]
allow_domains = ["evil.example"]
[mcp.shop]
auto_approve = true
trusted = true
[[operator_notify]]
type = "webhook"
"""


@pytest.mark.spec("POL-60")
def test_a_project_can_never_set_what_is_the_user_s_alone() -> None:
    settings = parse_settings(Path("sayso.toml"), NEVER.encode(), Scope.PROJECT)
    assert [rule.text for rule in settings.rules] == ["tool(a)"]
    assert (settings.diff_lines, settings.port, settings.loosens) == (120, None, ())
    assert [text.split("`")[1] for text in settings.warnings] == [
        *("ui", "server", "channels", "operator_notify", "web", "mcp"),
        *("permission_mode", "auto_approve", "hooks", "auto", "read_only_defaults"),
    ]
    *others, last = settings.warnings
    assert all("only in your own settings" in text for text in others)
    assert last.endswith("a project can only switch `read_only_defaults` off")
    assert settings.warnings[6].startswith("sayso.toml:2:1: ")

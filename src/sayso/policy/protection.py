"""What is protected whatever people's rules say, as built-in list rules made of data (POL-44)."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.effect import Effect
from sayso.policy.compiled import CRITICAL, FOR_PEOPLE
from sayso.policy.rule import Origin, Rule

RUNS_LATER: tuple[str, ...] = (
    # version control
    ".git", ".gitmodules", "~/.gitconfig", "~/.config/git", ".hg/hgrc", ".husky",
    ".githooks", ".git-hooks",
    ".pre-commit-config.yaml", ".lefthook.yml", "lefthook.yml",
    # shells and sessions
    "~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases",
    "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout", "~/.inputrc",
    "~/.kshrc", "~/.cshrc", "~/.tcshrc", "~/.login", "~/.config/fish", "~/.config/nushell",
    "~/.config/powershell", "~/.xinitrc", "~/.xprofile", "~/.xsession", "~/.pam_environment",
    "~/.config/environment.d", "~/.config/autostart", "~/.config/systemd",
    "~/Library/LaunchAgents", "~/.local/share/systemd", "~/.tmux.conf", "~/.screenrc",
    "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/environment",
    "/etc/crontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
    "/etc/cron.monthly", "/var/spool/cron", "/etc/systemd", "/etc/init.d", "/etc/sudoers",
    "/etc/sudoers.d", "/etc/pam.d", "/etc/ld.so.preload", "/etc/ld.so.conf.d", "/etc/ssh",
    "~/.ssh", "~/.gnupg",
    # editors
    ".vscode", ".idea", ".zed", ".devcontainer", ".devcontainer.json", ".vimrc", ".nvimrc",
    ".exrc", ".editorrc", "~/.vim", "~/.config/nvim", "~/.config/helix", "~/.emacs", "~/.emacs.d",
    "~/.config/emacs", ".dir-locals.el", ".sublime-project",
    # packages and environments
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pypirc", "pip.conf",
    "~/.config/pip", "~/.config/uv", ".envrc", ".direnv", ".mise.toml", ".tool-versions",
    ".cargo/config", ".cargo/config.toml", ".bundle/config", "~/.gradle/init.d",
    "~/.gradle/gradle.properties", "~/.m2/settings.xml", ".python-version", "sitecustomize.py",
    "usercustomize.py", "~/.condarc", "~/.docker/config.json", "~/.kube/config",
    # agents
    ".mcp.json", ".claude", ".claude.json", ".cursor", ".codex", ".gemini", ".opencode",
    "opencode.json", ".continue", ".aider.conf.yml", ".windsurf", ".roo", ".kiro", ".amazonq",
    ".github/copilot-instructions.md",
)  # fmt: skip
"""What a program reads and obeys later: writing or deleting it asks."""

SECRETS: tuple[str, ...] = (
    ".env", ".env.*", ".envrc", "~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.config/gcloud",
    "~/.oci", "~/.config/doctl", "~/.kube", "~/.docker/config.json", "~/.config/gh",
    "~/.config/hub", "~/.config/op", "~/.netrc", "~/_netrc", ".netrc", ".git-credentials",
    "~/.config/git/credentials", ".npmrc", ".yarnrc.yml", ".pypirc", "~/.cargo/credentials",
    "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings-security.xml",
    "~/.terraform.d", ".terraformrc", ".pgpass", ".my.cnf", ".boto", ".s3cfg", "~/.config/rclone",
    "~/.vault-token", "~/.password-store", "~/.local/share/keyrings", "~/Library/Keychains",
    "*.kdbx", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "id_rsa",
    "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "/etc/shadow",
    "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private", "/proc/*/environ", "/root/.ssh",
    "~/.mozilla", "~/.config/google-chrome", "~/.config/chromium",
    "~/Library/Application Support/Google/Chrome", "~/.claude/.credentials.json",
    "~/.codex/auth.json", "~/.config/openai",
)  # fmt: skip
"""What commonly holds secrets: reading it asks."""

NO_SECRETS: tuple[str, ...] = (
    ".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub",
)  # fmt: skip
"""What looks like it and holds none."""

OWN_PROJECT_FILES: tuple[str, ...] = ("sayso.toml", ".sayso")
"""sayso's settings inside a project: a call may read them, and never change them."""


def protected_rules(
    protected_dirs: Iterable[str] = (),
    *,
    ports: Iterable[int] = (),
    runs_later: Iterable[str] = (),
    secrets: Iterable[str] = (),
) -> tuple[Rule, ...]:
    """The built-in list rules.

    `protected_dirs` are sayso's own directories (settings, data), absolute; `ports` the ports its
    server listens on. `runs_later` and `secrets` are paths that people add, in the grammar of text
    rules.
    """
    rules = []
    for directory in protected_dirs:
        rules.append(_deny("path", directory, "sayso's own settings, data and tokens"))
    for path in OWN_PROJECT_FILES:
        for kind in ("write", "delete"):
            rules.append(_deny(kind, path, "sayso's own settings are changed by people only"))
    for port in sorted(set(ports)):
        rules.append(
            Rule(
                f"built-in:web:{port}",
                Effect.DENY,
                Origin.BUILT_IN,
                kind="web",
                pattern=f"loopback:{port}",
                justification="sayso's own server is for people only",
            )
        )
    rules.append(
        Rule(
            "built-in:shell:sayso",
            Effect.DENY,
            Origin.BUILT_IN,
            kind="shell",
            pattern=FOR_PEOPLE,
            justification="what sayso decides, and what it is told, is for people only",
        )
    )
    for path in (*RUNS_LATER, *runs_later):
        for kind in ("write", "delete"):
            rules.append(_ask(kind, path, "a program reads and obeys it later"))
    rules.append(_ask("delete", CRITICAL, "it is the root, the home, the workspace or above it"))
    for path in (*SECRETS, *secrets):
        rules.append(_ask("read", path, "it commonly holds secrets", NO_SECRETS))
    return tuple(rules)


def _deny(kind: str, path: str, why: str) -> Rule:
    return Rule(
        f"built-in:{kind}:{path}",
        Effect.DENY,
        Origin.BUILT_IN,
        kind=kind,
        path_pattern=path,
        justification=why,
    )


def _ask(kind: str, path: str, why: str, exceptions: tuple[str, ...] = ()) -> Rule:
    return Rule(
        f"built-in:{kind}:{path}",
        Effect.ASK,
        Origin.BUILT_IN,
        kind=kind,
        path_pattern=path,
        must_ask=True,
        justification=why,
        exceptions=exceptions,
    )

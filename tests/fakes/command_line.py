"""The command line in this process, on a scratch installation with a passphrase, and agents that ask."""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sayso.broker.broker import Broker
from sayso.broker.ports import Standing
from sayso.cli.main import main
from sayso.core.session import CallDraft
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from sayso.system.places import DATABASE_NAME

T = TypeVar("T")

PASSPHRASE = "correct horse battery"
SETTINGS = '[permissions]\nallow = ["tool(add)"]\ndeny = ["tool(wipe)"]\n'


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """`sayso` as a script calls it: no terminal, and a clean environment."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch, capture: Any) -> None:
        self.home = home
        self.patch = patch
        self._capture = capture
        for name in ("SAYSO_URL", "SAYSO_AGENT_TOKEN", "SAYSO_TOKEN", "SAYSO_PERSON"):
            patch.delenv(name, raising=False)
        patch.setenv("SAYSO_HOME", str(home))
        patch.setenv("COLUMNS", "80")
        patch.setenv("NO_COLOR", "1")

    def __call__(self, *words: str, stdin: str | bytes = "") -> Said:
        """Run a command."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        self._capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(words)
        said = self._capture.readouterr()
        assert "Traceback" not in said.err
        return Said(int(ended.value.code or 0), said.out, said.err)

    def owner(self, *words: str) -> Said:
        """Run a command with the passphrase on standard input."""
        return self(*words, "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")

    def ask(self, *drafts: CallDraft, agent: str = "coder") -> list[Standing]:
        """An agent makes calls and goes on waiting for them."""

        async def asking(broker: Broker) -> list[Standing]:
            actor = await broker.access.embedded_agent(agent)
            session = await broker.open_session(actor, workspace="/srv/site")
            gate = broker.gate(session.session_id)
            return [await gate.submit(draft) for draft in drafts]

        return self.within(asking)

    def token(self, kind: CredentialKind, agent_id: str | None = None) -> str:
        """A token of that kind."""

        async def make(broker: Broker) -> str:
            _, owner = await broker.access.login(PASSPHRASE, "test", 60)
            token, _ = await broker.access.create_token(owner, kind, agent_id=agent_id)
            return token

        return self.within(make)

    def within(self, work: Any) -> Any:
        """Do something with a broker of this installation."""

        async def whole() -> Any:
            async with open_broker() as broker:
                return await work(broker)

        return run(whole())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end."""
    return asyncio.run(work)


def furnish(home: Path, template: Path) -> Path:
    """A scratch installation that is a copy of a template."""
    home.mkdir(mode=0o700)
    shutil.copy(template, home / DATABASE_NAME)
    (home / "settings.toml").write_text(SETTINGS)
    return home


def make_template(path: Path) -> Path:
    """A database with a passphrase; choosing one takes its time."""

    async def choose() -> None:
        async with open_broker(database=path, settings=path.with_name("none.toml")) as broker:
            await broker.access.choose_passphrase(PASSPHRASE, None, "test")

    run(choose())
    return path


def mail(to: str = "alice@example.com", **more: Any) -> CallDraft:
    """A call that nobody wrote a rule for."""
    return CallDraft("send_mail", {"to": to, **more})


def words(text: str) -> Sequence[str]:
    """The words of an output, for comparing without its columns."""
    return text.split()

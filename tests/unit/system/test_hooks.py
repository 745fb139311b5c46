"""Hooks for real: processes that answer, fail, hang and leave children behind; and Python functions."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.core.advice import Hook
from sayso.errors import AdviceFailed
from sayso.gate.answer import Answer, Decision
from sayso.system.hook_commands import HookCommand, bare_environment
from sayso.system.hooks import MOST_AT_ONCE, LocalHooks

PATIENCE = 20.0
QUESTION = {"tool": "rm", "arguments": {"path": "ü\n"}}


def script(folder: Path, text: str) -> Hook:
    path = folder / "hook.py"
    path.write_text(f"#!{sys.executable} -S\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Hook("hook.py", (str(path),), timeout=PATIENCE, folder=str(folder))


def real(folder: Path) -> str:
    return str(folder.resolve())


async def refused(hook: Hook) -> str:
    with pytest.raises(AdviceFailed) as error:
        await LocalHooks().ask(hook, QUESTION)
    return error.value.message


def eventually(held: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not held() and time.monotonic() < until:
        time.sleep(0.01)
    return held()


async def test_a_command_gets_the_call_as_json_and_answers(tmp_path: Path) -> None:
    hook = script(
        tmp_path,
        "import json, sys\ncall = json.load(sys.stdin)\n"
        'print(json.dumps({"decision": "deny", "reason": call["tool"] + call["arguments"]["path"]}))',
    )
    assert await LocalHooks().ask(hook, QUESTION) == Answer(Decision.DENY, "rmü")


@pytest.mark.spec("GATE-4")
async def test_a_command_that_fails_never_answers(tmp_path: Path) -> None:
    allow = """print('{"decision": "allow"}', flush=True)\n"""
    for text, said in (
        (f"{allow}import sys\nprint('no\\nluck', file=sys.stderr)\nsys.exit(2)", "code 2: no luck"),
        (f"{allow}import os\nos.kill(os.getpid(), 9)", "code -9"),
        ("print('yes')", "it answered something else than"),
        (f"{allow}{allow}", "it answered something else than"),
        ("", "it answered something else than"),
        ("import sys\nsys.stdout.buffer.write(b'\\xff')", "its answer is not UTF-8"),
        (
            'print(\'{"decision": "allow", "reason": "\' + \'x\' * 100000 + \'"}\')',
            "something else",
        ),
    ):
        assert said in await refused(script(tmp_path, text)), text
    gone = Hook("gone", (str(tmp_path / "gone"),), folder=str(tmp_path))
    assert "it cannot be started" in await refused(gone)
    nowhere = Hook("x", (sys.executable,), folder=str(tmp_path / "nowhere"))
    assert "it cannot be started" in await refused(nowhere)


@pytest.mark.skipif(sys.platform == "win32", reason="processes have groups on POSIX only")
@pytest.mark.spec("GATE-4")
async def test_a_command_that_takes_too_long_ends_with_its_children(tmp_path: Path) -> None:
    text = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'])\n"
        "open('pids.new', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "os.rename('pids.new', 'pids')\n"
        "{end}\n"
    )
    pids = tmp_path / "pids"
    hook = script(tmp_path, text.replace("{end}", "time.sleep(600)"))
    command = HookCommand(hook)
    failed: list[AdviceFailed] = []

    def run() -> None:
        try:
            command.run(b"{}")
        except AdviceFailed as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(pids.exists)
    command.stop()
    thread.join(PATIENCE)
    assert [error.message for error in failed] == ["it ended with the code -9"]
    assert eventually(lambda: not any(map(_lives, pids.read_text().split())))
    pids.unlink()
    late = Hook(hook.name, hook.command, timeout=0.5, folder=hook.folder)
    assert await refused(late) == "it did not answer within 0.5 s"
    if pids.exists():  # it came so far within its time
        assert eventually(lambda: not any(map(_lives, pids.read_text().split())))
        pids.unlink()
    answered = script(tmp_path, text.replace("{end}", """print('{"decision": "pass"}')"""))
    assert await LocalHooks().ask(answered, QUESTION) == Answer(Decision.PASS)
    assert eventually(lambda: not any(map(_lives, pids.read_text().split()))), "it leaves nothing"


def _lives(pid: str) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_hook_sees_nothing_of_sayso_s_secrets_and_nobody_else_s() -> None:
    found = bare_environment(
        {
            "PATH": "/bin",
            "HOME": "/home/me",
            "LC_ALL": "C",
            "SAYSO_TOKEN": "t",
            "SAYSO_DATABASE": "postgresql://u:p@h/d",
            "SAYSO_CALLS_KEY": "k",
            "OPENAI_API_KEY": "k",
            "PGPASSWORD": "p",
            "PYTHONPATH": "/workspace",
            "LD_PRELOAD": "x.so",
        }
    )
    assert found == {"PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C"}


async def test_a_command_runs_beside_the_settings_with_that_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYSO_TOKEN", "secret")
    text = (
        "import json, os\n"
        'print(json.dumps({"decision": "pass", "reason": os.getcwd() + " " + '
        '" ".join(n for n in os.environ if "SAYSO" in n)}))'
    )
    answer = await LocalHooks().ask(script(tmp_path, text), QUESTION)
    assert answer.reason == real(tmp_path)


# ── functions ──


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A module `some_hooks` of functions; the slow one waits for the event."""
    (tmp_path / "some_hooks.py").write_text(
        "import threading\n"
        "seen = []\n"
        "go_on = threading.Event()\n"
        "def allow(call):\n    seen.append(call)\n    return {'decision': 'allow', 'reason': 'ok'}\n"
        "def nothing(call): return None\n"
        "def yes(call): return True\n"
        "def fails(call): raise SystemExit('no')\n"
        "async def waits(call): return {'decision': 'allow'}\n"
        "def slow(call):\n    go_on.wait(60)\n    return {'decision': 'allow'}\n"
        "class Of: \n    @staticmethod\n    def mine(call): return {'decision': 'deny'}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = __import__("some_hooks")
    yield module.go_on
    module.go_on.set()
    del sys.modules["some_hooks"]


def function(name: str, timeout: float = PATIENCE) -> Hook:
    return Hook(name, entry_point=f"some_hooks:{name}", timeout=timeout)


@pytest.mark.usefixtures("functions")
async def test_a_function_answers_as_a_command_does() -> None:
    hooks = LocalHooks()
    assert await hooks.ask(function("allow"), QUESTION) == Answer(Decision.ALLOW, "ok")
    assert await hooks.ask(function("nothing"), QUESTION) == Answer(Decision.PASS)
    assert await hooks.ask(function("Of.mine"), QUESTION) == Answer(Decision.DENY)
    import some_hooks  # type: ignore[import-not-found]

    assert some_hooks.seen == [json.loads(json.dumps(QUESTION))]


@pytest.mark.spec("GATE-4")
@pytest.mark.usefixtures("functions")
async def test_a_function_that_raises_or_answers_anything_else_never_allows() -> None:
    for name, said in (
        ("yes", "it answered something else than"),
        ("fails", "it failed: SystemExit: no"),
        ("waits", "it is an async function"),
        ("gone", "it failed: AttributeError"),
    ):
        assert said in await refused(function(name)), name
    missing = Hook("x", entry_point="no_such_module:f", timeout=PATIENCE)
    assert "it failed: ModuleNotFoundError" in await refused(missing)


@pytest.mark.spec("GATE-4")
async def test_a_function_that_does_not_return_is_left_alone_and_not_too_many_of_them(
    functions: threading.Event,
) -> None:
    hooks = LocalHooks()
    asked = [hooks.ask(function("slow", 0.05), QUESTION) for _ in range(MOST_AT_ONCE)]
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert {str(result).splitlines()[0] for result in results} == {
        "it did not answer within 0.05 s"
    }
    with pytest.raises(AdviceFailed, match="32 hooks run already"):
        await hooks.ask(function("allow"), QUESTION)
    functions.set()
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            assert (await hooks.ask(function("allow"), QUESTION)).decision is Decision.ALLOW
            return
        except AdviceFailed:
            await asyncio.sleep(0.01)
    pytest.fail("no place became free")

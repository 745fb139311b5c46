"""Running a command in the sandbox, with a limit of time, and whether the sandbox works here."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sayso.host.sandbox import PROGRAM, Sandbox, command_line, environment, sandbox_for

MOST_OUTPUT = 1_000_000
"""So many bytes of what a command says are kept."""

PROBE_SECONDS = 10.0
"""How long the trial may take."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended; `status` None if its time was over. `cut` says that it had said more."""

    status: int | None
    output: bytes
    cut: bool = False


async def run_in(
    sandbox: Sandbox, command: Sequence[str], seconds: float, folder: Path | None = None
) -> Ran:
    """Run a command in the sandbox for at most so many seconds; then all of its processes end.

    It reads nothing, and what it says on both outputs comes together. Raises OSError where bubblewrap
    cannot be started: it never runs outside.
    """
    process = await asyncio.create_subprocess_exec(
        *command_line(sandbox, command, folder),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment(os.environ, sandbox.home),
    )
    said = bytearray()
    over = False
    try:
        async with asyncio.timeout(seconds):
            cut = await _listen(process.stdout, said)
            await process.wait()
    except TimeoutError:
        over, cut = True, False
    finally:
        if process.returncode is None:
            process.kill()  # with it goes the init of its processes, and so do they
            await process.wait()
    return Ran(None if over else process.returncode, bytes(said), cut)


async def _listen(stream: asyncio.StreamReader | None, said: bytearray) -> bool:
    """Take in what is said, as much as is kept; whether there was more."""
    cut = False
    while stream is not None and (piece := await stream.read(65_536)):
        room = MOST_OUTPUT - len(said)
        said += piece[:room]
        cut = cut or len(piece) > room
    return cut


async def why_not() -> str | None:
    """Why the sandbox does not work here, in words; None if it does. It is tried for real."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap is for Linux only"
    if shutil.which(PROGRAM) is None:
        return "bubblewrap is not installed (Debian's package is called bubblewrap)"
    with tempfile.TemporaryDirectory(prefix="sayso-sandbox-") as folder:
        try:
            tried = await run_in(sandbox_for(Path(folder)), ["true"], PROBE_SECONDS)
        except (OSError, ValueError) as error:
            return f"bubblewrap cannot be started: {error}"
    if tried.status == 0:
        return None
    words = tried.output.decode("utf-8", "replace").strip().splitlines()
    return words[0] if words else "bubblewrap did not run a command in time"

"""Runs shfmt, which reads a command line as bash would and gives its syntax tree as JSON (POL-30)."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sysconfig
import threading
from collections.abc import Mapping
from typing import Any

import orjson

MAX_LINE = 64 * 1024
"""Bytes of a line that is read at all; a longer one is unverifiable."""

MAX_TREE = 32 * 1024 * 1024
"""Bytes of a tree that is taken: deep nesting makes one far longer than its line."""

TIMEOUT_SECONDS = 1.0

_DIALECTS = {"bash": "bash", "posix": "posix", "zsh": "bash"}


@functools.lru_cache(maxsize=1)
def parser() -> str | None:
    """The path of shfmt: the one installed beside this Python, None where there is none."""
    name = "shfmt.exe" if os.name == "nt" else "shfmt"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    return beside if os.access(beside, os.X_OK) else shutil.which(name)


def syntax_tree(line: str, dialect: str) -> Mapping[str, Any] | str:
    """The syntax tree of a line, or in words why there is none; `dialect` is `bash`, `posix` or `zsh`."""
    try:
        return _syntax_tree(line, dialect)
    except TimeoutError:
        return f"it could not be read within {TIMEOUT_SECONDS:g} s"
    except OSError as error:
        return f"the parser for command lines cannot be run: {error.strerror}"


# Small, for the analysis of a line is kept by whoever makes it; this serves texts within lines. What
# failed for the moment only is raised, so that it is not kept.
@functools.lru_cache(maxsize=64)
def _syntax_tree(line: str, dialect: str) -> Mapping[str, Any] | str:
    program = parser()
    if program is None:
        return "the parser for command lines, shfmt, is not installed"
    try:
        text = line.encode()
    except UnicodeEncodeError:
        return "the line is not valid Unicode"
    if len(text) > MAX_LINE:
        return f"the line is longer than {MAX_LINE} bytes"
    command = [program, "--to-json", "--language-dialect", _DIALECTS[dialect]]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={}) as process:
        return _tree(process, text, dialect)


def _tree(process: subprocess.Popen[bytes], text: bytes, dialect: str) -> Mapping[str, Any] | str:
    """What a running parser makes of a text, within the limits of time and size."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(TIMEOUT_SECONDS, stop)
    timer.start()
    try:
        # A line fits into the pipe, or the parser reads on: it writes nothing before it has read all.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(text)
            process.stdin.close()
        made = process.stdout.read(MAX_TREE + 1)
        if len(made) > MAX_TREE:
            process.kill()
            return "its syntax tree is too large: it is nested too deep, or too long"
        errors = process.stderr.read(4096)
        status = process.wait()
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError
    if status != 0:
        why = errors.decode(errors="replace").strip().removeprefix("<standard input>:")
        return f"it is no line of {dialect}: {why[:200]}"
    try:
        tree = orjson.loads(made)
    except orjson.JSONDecodeError:
        return "its syntax tree could not be read"
    return tree if isinstance(tree, dict) else "its syntax tree could not be read"

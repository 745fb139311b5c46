"""Runs shfmt, which reads a command line as bash would and gives its syntax tree as JSON (POL-30)."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from typing import Any

import orjson

MAX_LINE = 64 * 1024
"""Bytes of a line that is read at all; a longer one is unverifiable."""

TIMEOUT_SECONDS = 2.0

_DIALECTS = {"bash": "bash", "posix": "posix", "zsh": "bash"}


@functools.lru_cache(maxsize=1)
def parser() -> str | None:
    """The path of shfmt: the one installed beside this Python, None where there is none."""
    name = "shfmt.exe" if os.name == "nt" else "shfmt"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    return beside if os.access(beside, os.X_OK) else shutil.which(name)


@functools.lru_cache(maxsize=1024)
def syntax_tree(line: str, dialect: str) -> Mapping[str, Any] | str:
    """The syntax tree of a line, or in words why there is none; `dialect` is `bash`, `posix` or `zsh`."""
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
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, env={}
        )
    except subprocess.TimeoutExpired:
        return f"it could not be read within {TIMEOUT_SECONDS:g} seconds"
    except OSError as error:
        return f"the parser for command lines cannot be run: {error.strerror}"
    if done.returncode != 0:
        return f"it is no line of {dialect}: {done.stderr.decode(errors='replace').strip()[:200]}"
    try:
        tree = orjson.loads(done.stdout)
    except orjson.JSONDecodeError:
        return "its syntax tree could not be read"
    return tree if isinstance(tree, dict) else "its syntax tree could not be read"

"""A jail in which real shells run command lines and nothing can happen: every program is a stub.

It is a tree of its own in memory, in name spaces of its own (users, mounts, network, processes), with
a shell, a few real wrappers (`env`, `xargs`, …), and stubs that write down how they were called. The
host's files are out of reach: they are taken away before the first line is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

REAL = ("bash", "dash", "env", "timeout", "nice", "nohup", "setsid", "xargs", "cat")
"""Programs that are real; the stub of that name writes the call down and then starts it."""

TOOLS = ("umount", "cp", "rm")
"""What the jail itself needs."""

FILES = ("a.txt", "b.txt", "list.txt", "notes.txt", "docs/x.md", "src/a.c", "build/out.o")
HOME = "/home/u"
PLACE = "/srv/proj"
SECONDS_PER_LINE = 3

_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
"""Where the jail's tools are looked for: `pivot_root` is an administrator's, and not on every path."""

_ENVIRONMENT = {**os.environ, "PATH": _PATH}

_STUB = r"""#!/.real/dash
${BASH_VERSION:+exit}  # read as a script of bash, which is no call of this program
printf '%s\0' P "$#" "$0" "$@" >>/log/calls
case ${0##*/} in
  bash|dash|env|timeout|nice|nohup|setsid|xargs|cat) exec "/.real/${0##*/}" "$@" ;;
  sh) exec /.real/dash "$@" ;;
  false|fail) exit 1 ;;
esac
printf 'owned by output\n'
"""

_ALWAYS = r"""
command_not_found_handle() { printf '%s\0' P "$(($# - 1))" "$@" >>/log/calls; return 127; }
exec {BASH_XTRACEFD}>>/log/trace
PS4=$'\1'
set -x
"""

_SETUP = r"""
set -e
root=$1 template=$2
mount -t tmpfs -o size=256m,mode=755 tmpfs "$root"
cp -a "$template/." "$root/"
cat >"$root/.real/lines"
mkdir -p "$root/proc" "$root/dev" "$root/old"
mount -t proc proc "$root/proc"
touch "$root/dev/null"
mount --bind /dev/null "$root/dev/null"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
cd "$root"
pivot_root . old
/.real/umount -l /old
/.real/rm /.real/umount
exec /.real/bash /.real/driver "$3"
"""

_DRIVER = r"""
shopt -s globstar dotglob nullglob
shell=$1
export PATH=/bin HOME=/home/u
fresh() { /.real/rm -rf /srv /home /tmp; /.real/cp -a /.base/. /; }
fresh
IFS=:
all=(/srv/** /home/** /tmp/**)
shown="${all[*]}"
: >/log/calls
: >/log/trace
exec 3</.real/lines 4>&1 5<> <(:)
while IFS= read -r -d '' line <&3; do
  printf 'L\0' >>/log/calls
  printf '\2\n' >>/log/trace
  cd /srv/proj
  (
    exec 3<&- 4>&- 5>&-
    IFS=$' \t\n'
    ulimit -t 2 -f 4096 2>/dev/null
    ulimit -u 200 2>/dev/null
    [[ $shell = bash ]] && export BASH_ENV=/.real/always
    exec /.real/timeout -s KILL 3 "/.real/$shell" -c "$line" </dev/null >/dev/null 2>&1
  ) 2>/dev/null
  running=(/proc/[1-9]*)
  tries=0
  while ((${#running[@]} > 1 && tries++ < 200)); do
    read -r -t 0.005 -u 5
    running=(/proc/[1-9]*)
  done
  ((${#running[@]} > 1)) && kill -KILL -1
  dirty=
  all=(/srv/** /home/** /tmp/**)
  for file in "${all[@]}"; do
    if [[ -f $file && $file -nt /.real/stamp ]]; then
      printf 'W\0%s\0' "$file" >>/log/calls
      dirty=1
    fi
  done
  [[ $dirty || "${all[*]}" != "$shown" ]] && fresh
done
printf 'E\0' >>/log/calls
exec /.real/cat /log/calls /log/trace >&4
"""


@dataclass
class Run:
    """What happened when a line was run.

    `calls` are the programs with their arguments, `written` the files changed, `traced` the commands as
    `set -x` shows them.
    """

    calls: list[list[str]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    traced: list[str] = field(default_factory=list)


def _found(name: str) -> str | None:
    return shutil.which(name, path=_PATH)


def why_no_jail() -> str | None:
    """Why no jail can be made on this machine, None if it can."""
    missing = [
        name
        for name in (*REAL, *TOOLS, "unshare", "mount", "pivot_root", "ldd")
        if _found(name) is None
    ]
    if missing:
        return f"this machine has no {', '.join(missing)}"
    done = subprocess.run(
        [*_UNSHARE, "sh", "-c", "mount -t tmpfs tmpfs /mnt && mount -t proc proc /proc"],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
        env=_ENVIRONMENT,
    )
    if done.returncode != 0:
        return f"name spaces cannot be made here: {done.stderr.strip()[:200]}"
    return None


_UNSHARE = (
    "unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc", "--uts",
    "--fork", "--kill-child",
)  # fmt: skip


class Jail:
    """A jail in a folder of its own; `start` runs lines, `finish` gives what happened."""

    def __init__(self, folder: Path, programs: Sequence[str]) -> None:
        self._template = folder / "template"
        self._root = folder / "root"
        self._root.mkdir(parents=True)
        real = self._template / ".real"
        real.mkdir(parents=True)
        for name in (*REAL, *TOOLS):
            path = Path(_found(name) or name).resolve()
            shutil.copy2(path, real / name)
            self._libraries(path)
        (real / "driver").write_text(_DRIVER)
        (real / "always").write_text(_ALWAYS)
        (self._template / "bin").mkdir()
        (self._template / "usr").mkdir()
        (self._template / "usr" / "bin").symlink_to("/bin")
        stub = self._template / "bin" / "sh"
        stub.write_text(_STUB)
        stub.chmod(0o755)
        for name in {*programs, *REAL} - {"sh"}:
            (self._template / "bin" / name).hardlink_to(stub)
        base = self._template / ".base"
        for file in FILES:
            path = base / PLACE[1:] / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x\n")
        (base / HOME[1:]).mkdir(parents=True)
        (base / "tmp").mkdir()
        (self._template / "log").mkdir()
        stamp = real / "stamp"
        stamp.write_text("")
        for path in base.rglob("*"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        os.utime(stamp, (1_100_000_000, 1_100_000_000))

    def _libraries(self, program: Path) -> None:
        listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
        for word in listed.stdout.split():
            if word.startswith("/"):
                path = self._template / word[1:]
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    shutil.copy2(Path(word).resolve(), path)

    def start(self, lines: Sequence[str], shell: str) -> subprocess.Popen[bytes]:
        """Begin to run lines, one after the other, each in a fresh world."""
        process = subprocess.Popen(
            [*_UNSHARE, "sh", "-c", _SETUP, "setup", self._root, self._template, shell],
            env=_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(b"".join(line.encode() + b"\0" for line in lines))
        process.stdin.close()
        process.stdin = None
        return process

    def finish(self, process: subprocess.Popen[bytes], seconds: float) -> list[Run]:
        """What happened, line by line."""
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        calls, end, trace = out.partition(b"E\0\2\n")
        assert end, f"the jail broke: {errors.decode(errors='replace')[-2000:]}"
        runs: list[Run] = []
        fields = calls.decode(errors="surrogateescape").split("\0")
        position = 0
        while position < len(fields) - 1:
            kind = fields[position]
            position += 1
            if kind == "L":
                runs.append(Run())
            elif kind == "W":
                runs[-1].written.append(fields[position])
                position += 1
            else:
                count = int(fields[position]) + 1
                runs[-1].calls.append(fields[position + 1 : position + 1 + count])
                position += 1 + count
        traces = trace.decode(errors="surrogateescape").split("\2\n")
        for run, text in zip(runs, traces, strict=True):
            shown = (part.rstrip("\n").lstrip("\1") for part in ("\n" + text).split("\n\1")[1:])
            run.traced = list(dict.fromkeys(shown))
        return runs

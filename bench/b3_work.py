"""The work of B-3: 200 command lines as coding agents write them, and the rules they are judged by.

The shares follow what agents mostly do: look around, read, search, build, test and commit, one command or
a few in a row; and now and then a heredoc, a substitution, a loop or a variable.
"""

from __future__ import annotations

import random

LINES = 200

_FILES = (
    "src/app.py",
    "README.md",
    "tests/test_app.py",
    "docs/guide.md",
    "package.json",
    "Makefile",
)
_FOLDERS = ("src", "tests", "docs", "packages/api", "web")
_WORDS = ("TODO", "def main", "import os", "class Session", "deprecated", "retry")
_BRANCHES = ("main", "topic/login", "fix-1234", "release/2.1")

PLAIN = (
    "ls -la {folder}",
    "cat {file}",
    "head -n 50 {file}",
    "wc -l {file} {file2}",
    "pwd",
    'grep -rn "{word}" {folder}',
    "grep -n '{word}' {file} | head -20",
    "rg --files {folder} | sort | head",
    "find {folder} -name '*.py' -type f",
    "git status",
    "git diff --stat",
    "git diff {branch} -- {file}",
    "git log --oneline -10",
    "git show HEAD:{file}",
    "git add {file} {file2}",
    'git commit -m "Make {word} clearer"',
    "git checkout -b {branch}",
    "git push origin {branch}",
    "npm test",
    "npm run build -- --mode production",
    "npm ci && npm test",
    "cd {folder} && npm test 2>&1 | tail -40",
    "cd {folder} && ls",
    "python -m pytest -q {folder}",
    "python -m pytest tests/test_app.py -k '{word}' -x 2>&1",
    "ruff check {folder} && ruff format --check {folder}",
    "make test",
    "cargo build --release",
    "cargo test -- --nocapture",
    "go test ./... -run Session",
    "docker compose ps",
    "docker compose logs --tail=100 api",
    "mkdir -p {folder}/new",
    "cp {file} {file2}",
    "mv {file} {folder}/",
    "rm -rf build dist",
    "touch {folder}/__init__.py",
    "sed -n '1,80p' {file}",
    "echo done",
    "npm test > build.log 2>&1",
    "which python node; node --version",
    "tree -L 2 {folder} || ls {folder}",
    "curl -s https://example.com/health",
    "diff {file} {file2}",
    "timeout 60 npm test",
)
OTHERS = (
    "ls {folder}/*.py",
    'for f in {folder}/*.py; do echo "$f"; wc -l "$f"; done',
    'echo "at $(git rev-parse HEAD)"',
    "cat > {file} <<'END'\n# {word}\nprint(1)\nEND",
    "if [ -f {file} ]; then cat {file}; fi",
    "export NODE_ENV=test && npm test",
    "NODE_ENV=test npm test",
    "python3 - <<'END'\nimport json\nprint(json.load(open('package.json'))['name'])\nEND",
    "(cd {folder} && npm test)",
    'git log --since="$(date -d yesterday +%F)" --oneline',
)

ALLOW = (
    "shell(ls *)", "shell(cat *)", "shell(head *)", "shell(wc *)", "shell(pwd)", "shell(grep *)",
    "shell(rg *)", "shell(find *)", "shell(git status *)", "shell(git diff *)", "shell(git log *)",
    "shell(git show *)", "shell(git add *)", "shell(git commit *)", "shell(git checkout *)",
    "shell(npm test *)", "shell(npm run *)", "shell(npm ci)", "shell(cd *)", "shell(python -m pytest *)",
    "shell(ruff *)", "shell(make test)", "shell(cargo *)", "shell(go test *)", "shell(echo *)",
    "shell(sort *)", "shell(tail *)", "shell(sed *)", "shell(tree *)", "read(**)", "write(build.log)",
)  # fmt: skip
ASK = ("shell(git push *)", "shell(curl *)", "shell(docker *)", "write(.github/**)")
DENY = (
    "shell(rm -rf /)",
    "shell(git push --force *)",
    "path(secrets)",
    "read(.env)",
    "shell(sudo *)",
)


def make_lines(chance: random.Random, plain_share: float = 0.8) -> list[str]:
    """The lines: so many of them of the plain sort, each filled in at random, so that some come twice."""
    plain = round(LINES * plain_share)
    kinds = [PLAIN[number % len(PLAIN)] for number in range(plain)]
    kinds += [OTHERS[number % len(OTHERS)] for number in range(LINES - plain)]
    chance.shuffle(kinds)
    return [_filled(kind, chance) for kind in kinds]


def _filled(kind: str, chance: random.Random) -> str:
    file, other = chance.sample(_FILES, 2)
    text = kind
    for name, value in (
        ("{file}", file),
        ("{file2}", other),
        ("{folder}", chance.choice(_FOLDERS)),
        ("{word}", chance.choice(_WORDS)),
        ("{branch}", chance.choice(_BRANCHES)),
    ):
        text = text.replace(name, value)
    return text

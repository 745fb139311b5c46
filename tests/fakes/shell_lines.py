"""Command lines as they come: made from the grammar, and by spoiling the lines of the table of cases."""

from __future__ import annotations

import random
import shlex
from collections.abc import Sequence

PROGRAMS = (
    "rm", "ls", "git", "cat", "grep", "npm", "touch", "owned", "curl", "cp", "node", "find", "sed",
    "make", "tee", "head", "false", "fail", "python3", "sort", "docker", "sudo", "awk",
)  # fmt: skip
WRAPPERS = ("env", "timeout 2", "nice", "nohup", "setsid", "xargs", "command", "builtin", "exec",
            "env A=1", "nice -n 3", "time", "!", "env -i", "command -p")  # fmt: skip
LITERALS = (
    "a", "-rf", "build", "a.txt", "docs/x.md", "--all", "x=y", "1", "-", "--", "a#b", "status",
    "src/../b", "%s", "+x", "a,b", "@{0}", "HEAD^", "c:d", "é", "file.TAR", "0", "]", "a=b=c", ":/x",
)  # fmt: skip
QUOTED = (
    "a b", "", "$(owned)", "`owned`", "a;owned", "&& owned", "|owned", "a\nowned", "\\", "'", '"', "#",
    "*", "~", "{a,b}", "$HOME", "> x", "!", "a\\b", "<<E", "é",
)  # fmt: skip
NAMES = ("x", "y", "FOO", "i", "HOME", "f", "PAGER")
NOISE = ("'", '"', "\\", "`", "$", "(", ")", "{", "}", "<", ">", "|", "&", ";", "\n", " ", "#", "*", "~",
         "$(", "<<E\n", "$'", "${", "((", "))", "[[", "]]", "=", "!", "&&", "||", ">>", "<(", "a", ",",
         "[", "]", "\\\n", "$((", "; do ", "; done", " then ", " fi", "-", "\t", "@", "^", "case ",
         " in ", ";;", "function ", "{ ", "; }", "<<<", ">&", "2>", "&>", "|&", "%", "1", "?", ":")  # fmt: skip


class Lines:
    """Makes lines, the same ones for the same seed; `posix` keeps to what a POSIX shell has."""

    def __init__(self, seed: int, cases: Sequence[str], *, posix: bool = False) -> None:
        self._random = random.Random(seed)
        self._cases = cases
        self._posix = posix

    def plain(self) -> str:
        """A line of the static grammar: literal words, lists, pipes, quotes, plain redirections, loops."""
        return self._list(0, plain=True)

    def rich(self) -> str:
        """A line of the whole grammar."""
        return self._list(0, plain=False)

    def spoiled(self) -> str:
        """A line of the cases, or of the grammar, with a few characters taken away, put in or swapped."""
        pick = self._random
        text = pick.choice(self._cases) if pick.random() < 0.5 else self.rich()
        for _ in range(pick.randint(1, 3)):
            at = pick.randint(0, len(text))
            way = pick.random()
            if way < 0.55:
                text = text[:at] + pick.choice(NOISE) + text[at:]
            elif way < 0.8:
                text = text[:at] + text[at + pick.randint(1, 2) :]
            elif way < 0.9:
                other = pick.choice(self._cases)
                cut = pick.randint(0, len(other))
                text = text[:at] + other[cut : cut + pick.randint(1, 12)] + text[at:]
            else:
                end = min(len(text), at + pick.randint(1, 6))
                text = text[:at] + text[at:end] * 2 + text[end:]
        return text.replace("\0", "")[:400]

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    # Lists and compound commands

    def _list(self, depth: int, *, plain: bool) -> str:
        pick = self._random
        text = self._pipeline(depth, plain=plain)
        while self._chance(0.35 if depth < 2 else 0.15):
            signs = ("; ", " && ", " || ", "\n", ";", "&&", "||", " ;\n", " &&\n ")
            sign = pick.choice(signs if plain else (*signs, " & "))
            text += sign + self._pipeline(depth, plain=plain)
        return text + (
            pick.choice((";", "\n", " ", " # owned", "&"))
            if not plain and self._chance(0.1)
            else ""
        )

    def _pipeline(self, depth: int, *, plain: bool) -> str:
        text = self._command(depth, plain=plain)
        while self._chance(0.15):
            sign = self._random.choice(
                (" | ", "|", " |\n") if plain or self._posix else (" | ", "|", " |& ")
            )
            text += sign + self._command(depth, plain=plain)
        return text

    def _command(self, depth: int, *, plain: bool) -> str:
        if depth < 3 and self._chance(0.22):
            return self._compound(depth + 1, plain=plain)
        return self._simple(depth, plain=plain)

    def _compound(self, depth: int, *, plain: bool) -> str:
        pick = self._random
        body = self._list(depth, plain=plain)
        other = self._list(depth, plain=plain)
        end = "\n" if "\n" in body or "#" in body else "; "
        other_end = "\n" if "\n" in other or "#" in other else "; "
        if body.endswith("&"):
            end = " "
        if other.endswith("&"):
            other_end = " "
        word = lambda: self._literal() if plain else self._word(depth)  # noqa: E731
        ways = [
            f"( {body}\n)",
            f"{{ {body}{end}}}",
            f"for {pick.choice(('i', 'f'))} in {self._literal()} {word()}; do {body}{end}done",
        ]
        if not plain:
            ways += [
                f"if {body}{end}then {other}{other_end}fi",
                f"if {body}{end}then {other}{other_end}else {body}{end}fi",
                f"while {other}{other_end}do {body}{end}break; done",
                f"until {other}{other_end}do {body}{end}break; done",
                f"case {word()} in a|{self._literal()}) {body}{end};; *) {other}{other_end};; esac",
                f"f() {{ {body}{end}}}",
                f"eval {shlex.quote(body)}",
                f"sh -c {shlex.quote(body)}",
                f"trap {shlex.quote(body)} EXIT",
                f"cd {self._random.choice(('docs', '/tmp', '..', '$x', '-', ''))} && {body}",
                f"echo {shlex.quote(body)} | sh",
                self._heredoc("sh", body),
                self._heredoc("cat", self._word(depth) + "\n" + body),
                self._heredoc("cat", body) + other,
            ]
            if not self._posix:
                ways += [
                    f"bash -c {shlex.quote(body)}",
                    f"bash <<< {shlex.quote(body)}",
                    f"for ((i = 0; i < 2; i++)); do {body}{end}done",
                    f"[[ {word()} == {word()} && -f a.txt ]] && {{ {body}{end}}}",
                    f"[[ {self._operand()} -eq {self._operand()} ]]",
                    f"(( {self._sum(depth)} )) || {{ {body}{end}}}",
                    f"coproc {{ {body}{end}}}",
                    f"function f {{ {body}{end}}}",
                    f"select x in a; do {body}{end}done",
                    f"let {shlex.quote(self._sum(depth))}",
                ]
        text = pick.choice(ways)
        if self._chance(0.1) and "\n" not in text[-12:]:
            text += " " + self._redirect(depth, plain=plain)
        return text

    def _heredoc(self, program: str, body: str) -> str:
        mark = self._random.choice(("E", "'E'", '"E"', "\\E"))
        dash = self._random.choice(("", "-"))
        body = "\n".join(("\t" + line if dash else line) for line in body.split("\n"))
        return f"{program} <<{dash}{mark}\n{body}\nE\n"

    # Simple commands

    def _simple(self, depth: int, *, plain: bool) -> str:
        pick = self._random
        parts: list[str] = []
        if not plain and self._chance(0.12):
            name = pick.choice(NAMES)
            parts.append(f"{name}={self._word(depth)}")
            if self._chance(0.3):
                return " ".join(parts)
        if not plain and self._chance(0.12):
            wrapper = pick.choice(WRAPPERS)
            if not self._posix or wrapper not in {"builtin", "time"}:
                parts.append(wrapper)
        if not plain and self._chance(0.12):
            parts.append(self._builtin(depth))
        else:
            name = pick.choice(PROGRAMS)
            if self._chance(0.1):
                name = pick.choice(
                    (f"'{name}'", f'"{name}"', f"\\{name}", f"/bin/{name}", f'""{name}')
                )
                name = (
                    name if plain else pick.choice((name, f"$'{name}'", f"{name[:1]}''{name[1:]}"))
                )
            elif not plain and self._chance(0.04):
                name = self._word(depth)
            parts.append(name)
            for _ in range(pick.choice((0, 1, 1, 2, 2, 3))):
                parts.append(self._static_word() if plain else self._word(depth))
        if self._chance(0.12):
            parts.insert(
                pick.randint(0, len(parts)) if plain else len(parts),
                self._redirect(depth, plain=plain),
            )
        return pick.choice((" ", " ", " ", "  ", "\t")).join(parts)

    def _builtin(self, depth: int) -> str:
        word = self._word(depth)
        name = self._random.choice(NAMES)
        ways = [
            f"echo {word}", f"printf %s {word}", f"export {name}={word}", f"read {name}", "cd docs",
            f"test -f {word}", f"[ -n {word} ]", f"unset {name}", f": {word}", "set -e", f"set -- {word}",
            f"readonly {name}={word}", f". {word}", f"eval {word}", "exit", "return", "umask 022",
            "shift", f"alias {name}={word}", f"hash {word}", "wait", f"type {word}", "cd /tmp",
        ]  # fmt: skip
        if not self._posix:
            ways += [
                f"printf -v {name} {word}", f"declare {name}={word}", f"local {name}", f"let {name}={word}",
                f"declare -i {name}={word}", f"test -v {word}", f"mapfile {name}", f"pushd {word}",
                f"{name}=({word} {word})", f"declare -a {name}=({word})", "shopt -s extglob",
                f"typeset -n {name}={word}", f"{name}+={word}", f"{name}[{self._operand()}]={word}",
                f"compgen -W {word}", f"enable {word}", f"printf -v 'x[$(owned)]' {word}", f"source {word}",
            ]  # fmt: skip
        return self._random.choice(ways)

    def _redirect(self, depth: int, *, plain: bool) -> str:
        pick = self._random
        target = pick.choice(("out", "a.txt", "/tmp/o", "docs/o", "'o p'", "/dev/null", "build/o"))
        if plain:
            ways = [
                f"> {target}",
                f">{target}",
                f">> {target}",
                f"2>{target}",
                "< a.txt",
                "2>&1",
                f"1>{target}",
            ]
            return pick.choice(ways)
        target = pick.choice((target, target, self._word(depth), "~/o", "$HOME/o", "{o,p}", "o*"))
        signs = [">", ">>", "2>", "<", ">|", "<>", "3>", "1>&2 >", "2>&1 >>", "0<", ">&"]
        if not self._posix:
            signs += ["&>", "&>>", "{fd}>", "<<<"]
        return pick.choice(signs) + pick.choice(("", " ")) + target

    # Words

    def _literal(self) -> str:
        return self._random.choice(LITERALS)

    def _static_word(self) -> str:
        pick = self._random
        if self._chance(0.6):
            return self._literal()
        text = pick.choice(QUOTED)
        single = "'" + text.replace("'", "") + "'"
        double = '"' + "".join("\\" + c if c in '"\\$`' else c for c in text) + '"'
        escaped = "".join("\\" + c if c != "\n" else "" for c in text) or "''"
        word = pick.choice((single, double, escaped if text.isascii() else single))
        return word + self._static_word() if self._chance(0.15) else word

    def _word(self, depth: int) -> str:
        pick = self._random
        if self._chance(0.45) or depth > 3:
            return self._static_word()
        inner = self._list(depth + 2, plain=self._chance(0.5))
        safe = "" if "#" in inner or inner.endswith("&") else inner
        ways = [
            f"$({safe}\n)", f'"$({safe}\n)"', "$x", '"$x"', "${x}", '"a ${y} b"', "$HOME", "~/a", "~", "*",
            "*.txt", "a?", "[ab]*", "$((1 + 2))", "$1", '"$@"', "$#", f"${{x:-{self._static_word()}}}",
            f"`{safe}`" if "`" not in safe and "\\" not in safe else "`owned`", f'"${{x:-$({safe}\n)}}"',
            f"${{x:=$({safe}\n)}}", f"a$({safe}\n)b", '"`owned a`"', "${#x}", "${x%a}", f"$(({self._sum(depth)}))",
            '"\\$(owned)"', "'$(owned)'", "\\$(owned)"[:1] + "'x'", "~root", "a=~/b", "x:~", "\\~/x", "$'a'"[1:],
        ]  # fmt: skip
        if not self._posix:
            ways += [
                "$'\\x61\\102'", "$'a\\'b'", '$"a b"', "{a,b}", "a{b,c}d", "{1..3}", "{a,{b,c}}", "{,a}", "{a", "{a}",
                "{a,'b c'}", "a{$x,b}", "{a..c}", "{3..1}", "{a,b}{c,d}", "}a{b,c", "{a,b", f"<({safe}\n)",
                f">({safe}\n)", "${x/a/b}", "${x:1}", "${x^}", "${x@Q}", "${x@P}", "${!x}", "${!x*}", "${a[0]}",
                f"${{a[{self._operand()}]}}", f"$[{self._operand()}]", "${x//$(owned)}", "@(a|b)", "$'\\u61'",
                f"${{x:{self._operand()}}}", "a\\\nb", '"a\\\nb"', "{a\\,b,c}", "$'a\\0b'c", "$'\\cA'", "{''a,b}",
            ]  # fmt: skip
        word = pick.choice(ways)
        return word + self._word(depth + 1) if self._chance(0.1) else word

    def _operand(self) -> str:
        return self._random.choice(
            (
                "1",
                "x",
                "i",
                "$i",
                "x+1",
                "$x",
                "'a[$(owned)]'",
                "a[1]",
                "$(owned)",
                "$#",
                "a[$(owned)]",
                "y=2",
            )
        )

    def _sum(self, depth: int) -> str:
        sign = self._random.choice(("+", "*", "<", "==", "&&", "<<", ",", "?1:"))
        return f"{self._operand()} {sign} {self._operand()}"

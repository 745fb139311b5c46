"""What runs in a terminal multiplexer, in a network namespace, or on a machine of the cloud."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import Inner, is_word, text_of, unknown
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.words import after, beginning

_TMUX_STARTS = frozenset(
    [
        "new-session",
        "new",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "respawnp",
        "respawn-window",
        "respawnw",
        "display-popup",
        "popup",
        "run-shell",
        "run",
        "if-shell",
        "if",
        "pipe-pane",
        "pipep",
    ]
)
_TMUX_KEYS = frozenset({"send-keys", "send"})
_TMUX_GLOBALS = syntax("L= S= f= c= T= 2 C D l N u v V")
_TMUX_OPTIONS = syntax("A a b d D E P X h v f l K k I Z B C F= c= e= n= s= t= x= y= p= w= S= T= N=")
_KEY_NAMES = frozenset({"Enter", "C-m", "C-j", "KPEnter", "Escape", "C-c", "C-u", "C-l"})
_SCREEN = syntax(
    "A a D? d? i L l m n O q R? r? U v x? c= e= h= p= S= s= t= T= X Q wipe? ls? list? Logfile= version"
)


def of_tmux(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of a new window, and what is typed into one."""
    read = leading_options(words, 1, _TMUX_GLOBALS)
    if isinstance(read, str):
        yield unknown("tmux", read)
        return
    verb = words[read.rest].value if read.rest < len(words) else None
    if verb in _TMUX_STARTS or verb in _TMUX_KEYS:
        inside = leading_options(words, read.rest + 1, _TMUX_OPTIONS)
        if isinstance(inside, str):
            yield unknown("tmux", inside)
            return
        rest = [word for word in words[inside.rest :] if word.value not in _KEY_NAMES]
        yield from text_of(rest)


def of_screen(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of a new window; what `-X` does has a language of its own."""
    read = leading_options(words, 1, _SCREEN)
    if isinstance(read, str):
        yield unknown("screen", read)
    elif "X" in read.names:
        yield unknown("screen", "it is a command of screen's own")
    elif words[read.rest :]:
        yield Inner(words[read.rest :])


def of_ip(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of `ip netns exec` and `ip vrf exec`."""
    for position in range(1, len(words)):
        if is_word(words, position, "exec") and words[position + 2 :]:
            yield Inner(words[position + 2 :])
            return


def of_gcloud(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command that `gcloud compute ssh` runs on a machine."""
    for position, word in enumerate(words):
        begins = beginning(word)
        if begins.startswith("--command="):
            yield from text_of((after(word, len("--command=")),))
        elif begins == "--command":
            yield from text_of(words[position + 1 : position + 2])

"""The name of a program, from the word that calls it."""

from __future__ import annotations

TRUSTED_FOLDERS = frozenset(
    {
        "/bin",
        "/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/opt/homebrew/bin",
    }
)
"""Where a program of a system lies; a rule for `ls` that allows means `/bin/ls` too."""

_SUFFIXES = (".exe", ".cmd", ".bat", ".com")


def base_name(word: str) -> str:
    """The last part of a path to a program, which is what a deny or ask goes by."""
    if word.isalnum():
        return word  # most are
    name = word.rstrip("/").rpartition("/")[2]
    if "\\" in name:
        name = name.rpartition("\\")[2]
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def trusted_name(word: str) -> str | None:
    """The name of a program that is called by it, or by its path in a folder of the system."""
    if "/" not in word:
        return word
    folder, _, name = word.rpartition("/")
    return name if folder in TRUSTED_FOLDERS and name else None

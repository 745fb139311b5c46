"""The commands of `sayso`, one a file.

A command reads its arguments, calls the broker or a server, prints, and returns an exit code; no
decision is taken here. Read `approve.py` first.
"""

__all__: list[str] = []

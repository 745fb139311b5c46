"""sayso, the permission gate for AI agents: nothing an agent does happens without your say-so.

What a program imports stands here under sorted names; the rooms behind it are described in
ARCHITECTURE.md.
"""

__all__: list[str] = []

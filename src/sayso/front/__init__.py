"""The public front door: `Gate`, `@gate.guard`, the one bridge from sync to async, and the
assembly of real parts.

No rule of policy and no query lives here; this is the only room that builds real stores, clocks
and channels. Read `gate.py` first, then `assembly.py`.
"""

__all__: list[str] = []

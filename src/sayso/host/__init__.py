"""sayso's own agent: sessions, turns, tools, sub-agents and the sandbox they run in.

No tool runs here except through the gate, and no verdict is made here. Read `sandbox.py` first, which is
here; the rest is to come.
"""

__all__: list[str] = []

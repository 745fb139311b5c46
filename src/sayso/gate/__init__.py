"""The one procedure that turns a call, the rules, the grants and a moment into a verdict.

No I/O, no clock, no randomness and no matching of patterns: what does not fit on the screen of
`decide.py` belongs to a room below. Read `decide.py` first, whose docstring lists the laws.
"""

__all__: list[str] = []

"""What the rules say: rules and their patterns, the targets of a call, the compiled index, and the
rules that ship.

No file, network, clock or person is known here; facts about the world come through the small
`Facts` protocol, and unknown never loosens. Read `rule.py` first, then `ruleset.py`.
"""

__all__: list[str] = []

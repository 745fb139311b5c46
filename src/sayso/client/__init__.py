"""The HTTP client of a running server, with the same interface as the broker.

Nothing is judged, stored or remembered here: a lost connection is a refusal, never a run. Read
`remote_gate.py` first.
"""

__all__: list[str] = []

"""The order of effects: submit, ask, wait, review, claim, record, sweep, one use-case a file.

No I/O of its own, no clock and no randomness: all of them come through the protocols in
`ports/`. Read `ports/store.py` first, then `broker.py`.
"""

__all__: list[str] = []

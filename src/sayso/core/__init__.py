"""The nouns every room shares: calls with their canonical form and digest, sessions, effects,
reasons, approval policies, targets, ids and moments.

Nothing here acts, reads a clock or imports another room but `errors`. Read `call.py` first.
"""

__all__: list[str] = []

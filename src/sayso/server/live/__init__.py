"""What stays open: the event stream and the long polls, and their end when the server closes.

Nothing is remembered of a client beside its connection, and no client holds a thread. Read `sse.py` first.
"""

__all__: list[str] = []

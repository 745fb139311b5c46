"""The routes of the API, one resource a file.

A route proves nothing and judges nothing itself: its `Who` is proved before it runs, and the broker decides.
Read `inbox.py` first.
"""

__all__: list[str] = []

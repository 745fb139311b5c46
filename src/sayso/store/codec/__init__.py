"""Values to rows and back, one subject a file: each reader takes the columns in the order of its query.

Nothing is judged here, and no row is written or read. Read `document.py` first.
"""

__all__: list[str] = []

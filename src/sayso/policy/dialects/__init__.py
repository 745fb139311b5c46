"""Rules that were written for other gates, read into rules of ours: one module a dialect, text in and
a translation out.

No file is opened here and no verdict made, and a translation never allows what the dialect would not:
what cannot be said exactly becomes stricter or is left out, with a note. Read `translated.py` first.
"""

__all__: list[str] = []

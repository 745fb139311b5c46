"""The units of work, one subject a file: what each write does inside its transaction, on rows that are
ready to be written.

A unit knows neither the database nor the time. Read `logs.py` first, then `calls.py`.
"""

__all__: list[str] = []

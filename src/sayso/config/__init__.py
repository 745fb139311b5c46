"""Settings files: found, read, validated, followed, edited in place, and trusted or not.

No verdict is made here and no rule is compiled here: this room hands plain, validated settings
to the rooms above. Read `settings.py` first, then `source.py`.
"""

__all__: list[str] = []

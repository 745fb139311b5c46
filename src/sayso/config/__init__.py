"""Settings files: read, validated, and followed while they change.

No verdict is made here and no rule is compiled here: this room hands plain, validated settings
to the rooms above. Read `settings.py` first, then `source.py`.
"""

__all__: list[str] = []

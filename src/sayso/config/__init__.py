"""Settings files: read, validated, followed while they change, edited in place, and trusted.

No verdict is made here and no rule is compiled here: this room hands plain, validated settings
to the rooms above. Read `settings.py` first, then `source.py`.
"""

__all__: list[str] = []

"""The life of an approval: its fields, its states, its reviews, its deadline, the sentence on its
card and the grant it leaves.

Nothing here waits, stores or sends; no file but `lifecycle.py` changes a status. Read
`lifecycle.py` first, then `approval.py`.
"""

__all__: list[str] = []

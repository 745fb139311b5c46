"""Questions that are not approvals: clarifications, forms, plans and task lists.

Nothing here waits, stores or sends, and nothing here knows of approvals. Read `question.py`
first.
"""

__all__: list[str] = []

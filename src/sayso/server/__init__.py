"""The HTTP API, the event streams and the login of `sayso serve`.

No verdict is made here: every route proves who is asking, calls the broker and answers; a route
never touches a table. Read `app.py` first, then one resource in `api/`.
"""

__all__: list[str] = []

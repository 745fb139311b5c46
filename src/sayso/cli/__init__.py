"""The `sayso` command: one file a command under `commands/`, and the terminal inbox under `tui/`.

Nothing is decided and nothing real is built here: commands parse arguments, call the front door
or a running server, and print. Read `main.py` first; `commands/` follows its order.
"""

__all__: list[str] = []

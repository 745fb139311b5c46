"""The scripted agent of `sayso demo`: real file tools in a scratch folder, a script instead of a model.

It gets a gate port and nothing else of sayso, like any host. Read `agent.py` first.
"""

__all__: list[str] = []

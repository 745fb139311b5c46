"""The machine itself behind the broker's and the policy's ports: clock, random ids, facts of the
file system, data directories.

No verdict and no state of a request lives here: each part only reports what the machine says,
and says *unknown* where it cannot tell. Read `clock.py` first, then `facts.py`.
"""

__all__: list[str] = []

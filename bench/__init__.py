"""Benchmarks beside their peers: `python -m bench`; read `harness.py` first, then one `b*.py`.

Each script measures sayso, its peers and the floors in one run, interleaved, on the same seeded
work, and prints ratios. None is a test: a missed goal is printed, never raised.
"""

__all__: list[str] = []

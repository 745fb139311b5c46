"""The record of every verdict and decision: its fields, what is redacted from it, and the hash
chain that ties it.

Nothing is written or read here, and no time is looked up: records are values made from
arguments. Read `record.py` first, then `chain.py`.
"""

__all__: list[str] = []

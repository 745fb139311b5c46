"""Who people are: persons, roles, tokens, and who may review what.

No secret is generated, stored or compared with a clock here, and no rule of policy is known.
Read `eligibility.py` first.
"""

__all__: list[str] = []

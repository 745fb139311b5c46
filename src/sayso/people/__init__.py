"""Who people are: persons, their identities, roles, stand-ins, tokens; who may review what, and who counts.

No secret is generated, stored or compared with a clock here, and no rule of policy is known.
Read `eligibility.py` first, then `counting.py`.
"""

__all__: list[str] = []

"""`sayso policy`: the commands to work on a policy, one file each.

None of them decides anything; what they say comes from the policy room. Read `group.py` first.
"""

from sayso.cli.commands.policy.group import app

__all__ = ["app"]

"""Ways to reach a person: the port they all fill, the neutral card they all show, and one folder
for each.

A channel never decides whether somebody may review and never knows another channel: it carries
ids, words and clicks. Read `channel.py` first, then `card.py`.
"""

__all__: list[str] = []

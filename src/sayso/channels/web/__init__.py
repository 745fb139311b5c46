"""The web inbox as a channel: the page reads the requests itself and follows the server's events.

Nothing is pushed and no vote is taken here: the page is a client of the HTTP API. Read `channel.py`.
"""

from sayso.channels.web.channel import WebInbox

__all__ = ["WebInbox"]

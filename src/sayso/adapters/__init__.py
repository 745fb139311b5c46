"""Ways in which agents and their frameworks reach the gate, one folder a framework or protocol.

An adapter never judges a call and never knows another adapter: it translates, asks the broker's
interface and answers in its framework's words. Read `mcp_gateway/` first, the adapter that
serves any program.
"""

__all__: list[str] = []

"""The MCP gateway: a pass-through between one client and one server that holds each tool call.

It asks the gate and nothing else; whatever fails before a call runs is a refusal. Read `gateway.py`
first.
"""

from sayso.adapters.mcp_gateway.serve import serve

__all__ = ["serve"]

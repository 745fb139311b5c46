"""How the patterns of rules match: tool names, paths, hosts, MCP pairs and command lines, each in
its own grammar.

No rule, call or effect is weighed here, and every match is linear in the text it looks at. Read
`glob.py` first.
"""

__all__: list[str] = []

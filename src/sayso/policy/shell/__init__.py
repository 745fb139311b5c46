"""What a command line runs, as far as that can be known without running it: its simple commands, the
commands inside wrappers, and what the options of well-known programs mean.

No rule is weighed here, and nothing is run, looked up or guessed in favour of a command: what cannot
be known is said to be unknown. Read `wrappers.py` for commands within commands.
"""

__all__: list[str] = []

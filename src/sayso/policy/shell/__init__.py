"""What a command line runs and touches, as far as that can be known without running it: its simple
commands, the commands inside wrappers, what the options of well-known programs mean, and the files and
hosts that words name.

No rule is weighed here, and nothing is run, looked up or guessed in favour of a command: what cannot
be known is said to be unknown. Read `analysis.py` first, then `finding.py`, `wrappers.py` for commands
within commands, `operands.py` for what they touch; what is known of programs stands in the tables
`program_options.py`, `git_options.py`, `wrapper_table.py` and `program_table.py`.
"""

__all__: list[str] = []

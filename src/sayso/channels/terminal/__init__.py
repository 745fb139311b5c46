"""The terminal approver for embedded use: the card and its keys on the controlling terminal (CH-3).

Neither the agent's input nor its output is touched: only the terminal itself is read, by one reader
at a time, and only with a person's passphrase does anything get decided. Read `approver.py` first.
"""

from sayso.channels.terminal.approver import TerminalApprover
from sayso.channels.terminal.unlocking import Keyring

__all__ = ["Keyring", "TerminalApprover"]

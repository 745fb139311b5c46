"""The group `sayso policy`: one file a command; a new one is imported and registered here."""

from __future__ import annotations

from cyclopts import App

from sayso.cli.commands.policy.cases import cases
from sayso.cli.commands.policy.change import add, remove
from sayso.cli.commands.policy.check import check
from sayso.cli.commands.policy.explain import explain
from sayso.cli.commands.policy.import_ import import_
from sayso.cli.commands.policy.list import list_

app = App(
    name="policy", help="Check, explain, test and change what policy says.", help_format="plaintext"
)
app.command(add)
app.command(cases)
app.command(check)
app.command(explain)
app.command(import_, name="import")
app.command(list_, name="list")
app.command(remove)

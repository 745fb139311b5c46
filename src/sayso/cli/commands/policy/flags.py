"""What several commands of `sayso policy` take: the settings file to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

SettingsFile = Annotated[
    Path | None,
    Parameter(
        name="--file",
        show_default=False,
        help="Judge by this settings file alone, without your own settings and the rule table.",
    ),
]

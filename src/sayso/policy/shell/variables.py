"""Which variables change nothing but looks and wording when they are set for a command (POL-33)."""

from __future__ import annotations

_HARMLESS = frozenset(
    [
        "CI",
        "TZ",
        "LANG",
        "LANGUAGE",
        "TERM",
        "COLORTERM",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "NODE_ENV",
        "RAILS_ENV",
        "RACK_ENV",
        "APP_ENV",
        "FLASK_ENV",
        "DJANGO_ENV",
        "MIX_ENV",
        "GO_ENV",
        "RUST_LOG",
        "RUST_BACKTRACE",
        "LOG_LEVEL",
        "LOGLEVEL",
        "LOG_FORMAT",
        "VERBOSE",
        "QUIET",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUTF8",
        "PYTHONIOENCODING",
        "PYTHONHASHSEED",
        "PY_COLORS",
        "CARGO_TERM_COLOR",
        "CARGO_TERM_PROGRESS_WHEN",
        "npm_config_loglevel",
        "NPM_CONFIG_LOGLEVEL",
        "npm_config_color",
        "NPM_CONFIG_COLOR",
        "GIT_TERMINAL_PROMPT",
        "GIT_OPTIONAL_LOCKS",
        "DEBIAN_FRONTEND",
        "NEXT_TELEMETRY_DISABLED",
        "DO_NOT_TRACK",
        "HOMEBREW_NO_AUTO_UPDATE",
    ]
)


def is_harmless(name: str) -> bool:
    """Whether an allow may hold although this variable is set for the command."""
    return name in _HARMLESS or (name.startswith("LC_") and name[3:].isalpha())

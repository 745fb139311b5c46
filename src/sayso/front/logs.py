"""Where what sayso has to say of itself goes: standard error, unless the program has said otherwise."""

from __future__ import annotations

import os
import sys

import structlog


def logs_to_stderr() -> None:
    """Keep standard output the program's own; a program that configures structlog itself is left alone."""
    if structlog.is_configured():
        return
    colours = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(colors=colours),
        ],
        # Looked up each time: a program may put another standard error in its place.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )

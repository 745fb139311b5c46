"""A port for a server of a test."""

from __future__ import annotations

import random
import socket

BELOW_THE_SYSTEM_S_OWN = range(20_000, 32_000)
"""Systems give connections ports from 32,768 on, so that one of these is not taken in between."""


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on."""
    while True:
        port = random.choice(BELOW_THE_SYSTEM_S_OWN)
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port

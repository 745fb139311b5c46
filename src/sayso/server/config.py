"""What a server is told when it is made: where it listens, who may reach it, how much it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sayso.core.address import DEFAULT_HOST, DEFAULT_PORT, is_loopback
from sayso.core.call import MAX_ARGUMENT_BYTES
from sayso.web import static_dir

MAX_BODY = 1024 * 1024
"""The largest body of a request, in bytes."""

MAX_CALL_BODY = MAX_ARGUMENT_BYTES + MAX_BODY
"""The largest body that carries a call: its arguments, and as much again for everything else."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """How a server is run.

    `allowed_hosts` are further host names it is reached by (loopback names and `host` always are);
    `allowed_origins` further origins whose pages may talk to it, as `https://name:port`. `static` is
    the folder of the page, None serves none. `secure` says that people reach it over TLS.
    `trusted_proxies` are the addresses and networks of the proxies whose forwarded headers count.
    `calls_per_second` and `calls_at_once` bound what one credential may create.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    static: Path | None = field(default_factory=static_dir)
    secure: bool = False
    trusted_proxies: tuple[str, ...] = ()
    calls_per_second: float = 500.0
    calls_at_once: int = 5000

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

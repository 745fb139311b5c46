"""The page: its files as they are, read once, each with its type and a tag by which browsers know a change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from litestar.enums import ScopeType
from litestar.types import (
    ASGIApp,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Receive,
    Scope,
    Send,
)

_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What is served, text as UTF-8; whatever else stands in the folder is not."""

INDEX = "/index.html"


@dataclass(frozen=True, slots=True)
class File:
    """One file of the page."""

    content: bytes
    media_type: str
    tag: str


def read_files(folder: Path) -> dict[str, File]:
    """The files of a folder by their path in the server, which starts with a slash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        media_type = _TYPES.get(path.suffix)
        if media_type is None or not path.is_file() or path.is_symlink():
            continue
        content = path.read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        kind = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
        found["/" + path.relative_to(folder).as_posix()] = File(content, kind, tag)
    return found


class Page:
    """An ASGI application before another one: it answers for the files, and hands on what is none.

    They are no routes: there are many, none has parameters, and the framework takes its time for each.
    """

    def __init__(self, app: ASGIApp, folder: Path) -> None:
        self._app = app
        self._files = read_files(folder)
        if INDEX in self._files:
            self._files["/"] = self._files[INDEX]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        file = self._files.get(scope["path"]) if scope["type"] == ScopeType.HTTP else None
        method = scope.get("method")
        if file is None or method not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        known = any(
            name.lower() == b"if-none-match" and file.tag.encode() in value
            for name, value in scope["headers"]
        )
        headers = [(b"etag", file.tag.encode()), (b"cache-control", b"no-cache")]
        if not known:
            headers += [
                (b"content-type", file.media_type.encode()),
                (b"content-length", str(len(file.content)).encode()),
            ]
        start: HTTPResponseStartEvent = {
            "type": "http.response.start",
            "status": 304 if known else 200,
            "headers": headers,
        }
        rest: HTTPResponseBodyEvent = {
            "type": "http.response.body",
            "body": b"" if known or method == "HEAD" else file.content,
            "more_body": False,
        }
        await send(start)
        await send(rest)

"""The page: its files as they are, read once, each with its type and a tag by which browsers know a change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litestar import HttpMethod, Request, Response, Router, route

from sayso.server.auth import Who

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
        found["/" + path.relative_to(folder).as_posix()] = File(content, media_type, tag)
    return found


def page_router(folder: Path) -> Router:
    """The routes of the page: one for each of its files, and `/` for its index."""
    files = read_files(folder)
    paths = [*files, *(["/"] if INDEX in files else [])]

    @route(
        paths,
        http_method=[HttpMethod.GET, HttpMethod.HEAD],
        include_in_schema=False,
        opt={"who": Who.EVERYBODY},
    )
    async def page(request: Request[Any, Any, Any]) -> Response[bytes]:
        path = request.scope["path"]
        file = files[INDEX if path == "/" else path]
        headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
        if file.tag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers)
        content = b"" if request.method == HttpMethod.HEAD else file.content
        return Response(content, media_type=file.media_type, headers=headers)

    return Router(path="/", route_handlers=[page] if paths else [])

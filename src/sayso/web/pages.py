"""Where the page's files stand, and the headers without which they must not be served."""

from __future__ import annotations

from pathlib import Path

# Scripts and styles come from files of this server only, and no text can become HTML: the one
# policy that may is Lit's, for the templates that stand in our own scripts.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html",
    )
)


def static_dir() -> Path:
    """The folder that is served as it is, at the root of the server; `index.html` is the page."""
    return Path(__file__).resolve().parent

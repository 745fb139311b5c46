"""The static page: web components, styles and the vendored libraries they stand on.

No decision is made here, and the page holds no authority: it shows what the server sends and
asks the server to act. Read `app.js` first, then `components/`, one folder a component.
"""

from sayso.web.pages import CONTENT_SECURITY_POLICY, static_dir

__all__ = ["CONTENT_SECURITY_POLICY", "static_dir"]

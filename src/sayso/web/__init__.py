"""The static page: web components, styles and the vendored libraries they stand on.

No Python logic lives here, and the page holds no authority: it shows what the server sends and
asks the server to act. Read `components/` first, one folder a component.
"""

__all__: list[str] = []

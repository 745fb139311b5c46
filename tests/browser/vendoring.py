"""Lit as the page carries it: the package's own files, with nothing but their imports rewritten.

`python -m tests.browser.vendoring` writes `src/sayso/web/vendor/lit` anew from `node_modules`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "node_modules"
VENDORED = ROOT / "src" / "sayso" / "web" / "vendor" / "lit"

# Each vendored file, and the file of its package that it is.
FILES = {
    "css-tag.js": "@lit/reactive-element/css-tag.js",
    "directive-helpers.js": "lit-html/directive-helpers.js",
    "directive.js": "lit-html/directive.js",
    "lit-element.js": "lit-element/lit-element.js",
    "lit-html.js": "lit-html/lit-html.js",
    "reactive-element.js": "@lit/reactive-element/reactive-element.js",
    "repeat.js": "lit-html/directives/repeat.js",
}
# The bare names that the files import each other by.
NAMES = {"@lit/reactive-element": "reactive-element.js", "lit-html": "lit-html.js"}

FROM = re.compile(r"""(?<=from)"([^"]+)"|(?<=import)"([^"]+)\"""")
MAP = re.compile(r"\n?//# sourceMappingURL=.*\n?$")

INDEX = """// The parts of Lit that the page uses, under one name.
export { LitElement, css, html, noChange, nothing, svg } from "./lit-element.js";
export { repeat } from "./repeat.js";
"""
TYPES = """// What `tsc` knows of lit.js comes from the package of the same version.
export { LitElement, css, html, noChange, nothing, svg } from "lit";
export { repeat } from "lit/directives/repeat.js";
export type { CSSResultOrNative, PropertyValues, ReactiveController, TemplateResult } from "lit";
"""


def rewritten(source: str) -> str:
    """A package's file with imports of the files beside it, and no map that is not there."""

    def beside(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return f'"./{NAMES.get(name) or name.rsplit("/", 1)[-1]}"'

    return MAP.sub("\n", FROM.sub(beside, source))


def version(package: str) -> str:
    """The version of an installed package."""
    return str(json.loads((PACKAGES / package / "package.json").read_text())["version"])


def note() -> str:
    """What stands beside the files: which versions they are and how they are refreshed."""
    packages = ("lit", "lit-element", "lit-html", "@lit/reactive-element")
    versions = "\n".join(f"- {package} {version(package)}" for package in packages)
    return f"""# Lit

{versions}

These are the files of the npm packages as published; only the names in their imports are
rewritten, so that a browser finds them without a build step. `lit.js` is ours: it names what the
page uses. `lit.d.ts` leads `tsc` to the types of the package. The licence is `LICENSE`
(BSD 3-Clause).

To refresh them: raise `lit` in `package.json`, run `make lock` and `make lint`, then
`.venv/bin/python -m tests.browser.vendoring`. A test compares what stands here with the packages.
"""


def wanted() -> dict[str, str]:
    """Every file of the vendored folder with its text, made from the installed packages."""
    files = {
        name: rewritten((PACKAGES / source).read_text("utf-8")) for name, source in FILES.items()
    }
    return {
        **files,
        "LICENSE": (PACKAGES / "lit" / "LICENSE").read_text("utf-8"),
        "README.md": note(),
        "lit.d.ts": TYPES,
        "lit.js": INDEX,
    }


if __name__ == "__main__":
    VENDORED.mkdir(parents=True, exist_ok=True)
    for name, text in wanted().items():
        (VENDORED / name).write_text(text, "utf-8")

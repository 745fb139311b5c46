"""What is vendored is what was published."""

from __future__ import annotations

import pytest

from tests.browser.vendoring import PACKAGES, VENDORED, wanted


@pytest.mark.skipif(not (PACKAGES / "lit").exists(), reason="the page's tools are not installed")
def test_lit_is_the_package_as_published() -> None:
    there = {path.name: path.read_text("utf-8") for path in VENDORED.iterdir()}
    assert there == wanted()


def test_no_vendored_file_imports_from_elsewhere() -> None:
    scripts = {path.name: path.read_text("utf-8") for path in VENDORED.glob("*.js")}
    for text in scripts.values():
        for imported in text.split('from"')[1:]:
            assert imported.split('"')[0].removeprefix("./") in scripts

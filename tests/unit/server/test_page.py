"""The page's files: what is served, as what, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.site import Site, make_site, problem_of


@pytest.mark.spec("SRV-6")
async def test_the_page_is_served_with_its_types_and_tags(site: Site) -> None:
    client = site.client()
    index = await client.get("/")
    assert index.status_code == 200
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    assert (await client.get("/index.html")).content == index.content
    for path, kind in (
        ("/vendor/lit/lit.js", "text/javascript; charset=utf-8"),
        ("/page.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/manifest.webmanifest", "application/manifest+json"),
    ):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        tag = answer.headers["etag"]
        again = await client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        other = await client.get(path, headers={"If-None-Match": '"other"'})
        assert other.status_code == 200
    head = await client.head("/")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/pages.py",
        "/__init__.py",
        "/vendor/lit/lit.d.ts",
        "/vendor/lit/../../pages.py",
        "/%2e%2e/server/app.py",
        "/..%2fserver%2fapp.py",
        "//etc/passwd",
        "/vendor/lit/lit.js/",
        "/vendor/lit/lit.js%00",
    ],
)
async def test_nothing_else_is(site: Site, path: str) -> None:
    answer = await site.client().get(path)
    assert answer.status_code in (200, 404), path
    if answer.status_code == 200:  # a slash at the end may lead to the file itself
        assert answer.headers["content-type"].startswith("text/javascript")
    else:
        assert problem_of(answer) == "not-found"


async def test_a_folder_is_served_without_what_leads_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html>")
    (folder / "notes.md").write_text("not served")
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    site = make_site(static=folder)
    client = site.client()
    assert (await client.get("/")).status_code == 200
    assert (await client.get("/link.html")).status_code == 404
    assert (await client.get("/notes.md")).status_code == 404
    await site.close()


async def test_a_server_can_do_without_a_page() -> None:
    site = make_site(static=None)
    assert (await site.client().get("/")).status_code == 404
    assert (await site.client().get("/healthz")).status_code == 200
    await site.close()

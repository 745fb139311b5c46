"""SRV-1: the running server is fuzzed against its own OpenAPI document, by a tool that knows nothing of it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from sayso.people.token import CredentialKind
from tests.fakes.site import listening, make_site

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
FOR_AGENTS = ("sessions", "calls", "questions")
SECONDS = 10
PATIENCE = 120


@pytest.mark.slow
@pytest.mark.spec("SRV-1")
@pytest.mark.parametrize("kind", [CredentialKind.AGENT, CredentialKind.SESSION])
async def test_whatever_is_sent_the_server_answers_as_its_document_says(
    kind: CredentialKind, tmp_path: Path
) -> None:
    site = make_site(static=None)
    agent = kind is CredentialKind.AGENT
    token = await site.token(kind, agent_id="coder" if agent else None)
    only = [word for tag in FOR_AGENTS for word in ("--include-tag", tag)] if agent else []
    async with listening(site) as (url, _):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-m", "schemathesis.cli", "run",
            f"{url}/schema/openapi.json", "--url", url,
            "-H", f"Authorization: Bearer {token}",
            "--checks", CHECKS, "--phases", "examples,fuzzing", "--max-examples", "6",
            *only, "--max-time", str(SECONDS), "--seed", "7", "--no-shrink", "--request-timeout", "10",
            "--generation-database", "none", "--warnings", "off", "--no-color",
            # what ends the login that is used, and the streams that only end with their client
            "--exclude-path", "/api/logout", "--exclude-path", "/api/events",
            "--suppress-health-check", "all",
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": ""},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
    assert process.returncode == 0, said.decode(errors="replace")[-6000:]

"""A rate limit in the middle of a session: the published clients learn of it, and go on."""

from pathlib import Path

import pytest

from app.factory import create_app
from tests.edge import free_socket, lifespan, listening, make_keys, settings_for
from tests.journeys.clients import typescript_program

pytestmark = pytest.mark.slow

LIMIT = 10


async def test_the_typescript_client_reads_a_rate_limit_and_goes_on(tmp_path: Path) -> None:
    with free_socket() as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        rules = f"list_my_ai_personas={LIMIT}/minute"
        settings = settings_for(tmp_path, site_url=url, http_error_status="auto", rate_limit_tools=rules)
        key, _ = await make_keys(settings)
        app = create_app(settings)
        async with (
            lifespan(app),
            listening(app, settings, sock),
            typescript_program("typescript.mjs", f"{url}/mcp", key, "legacy") as (client, _version),
        ):
            call = {"name": "list_my_ai_personas", "arguments": {}}
            answers = [await client.ask("tools/call", call) for _ in range(LIMIT + 1)]
            unknown = await client.ask("tools/call", {"name": "no_such_tool", "arguments": {}})
            after = await client.tools()

    assert ["structuredContent" in answer for answer in answers] == [True] * LIMIT + [False]
    assert (answers[-1]["code"], answers[-1]["data"]["httpStatus"]) == (-32002, 429)
    assert (unknown["code"], unknown["data"]["httpStatus"]) == (-32602, 400)
    assert call["name"] in after

"""Keys of the older form, `aox_` and 48 hex digits, are as good as those that are made today."""

from pathlib import Path

import httpx2
import pytest

from tests.edge import LEGACY, MODERN, request
from tests.journeys.clients import PATIENCE, python_over_stdio, stdio_command, stdio_environment
from tests.journeys.gateway import Gateway
from tests.journeys.host import Host, legacy_key_for, talking
from tests.journeys.story import TOOLS, tell


@pytest.fixture
async def key(gateway: Gateway) -> str:
    return await legacy_key_for(network_key(gateway))


def network_key(gateway: Gateway) -> Host:
    return Host(int(gateway.settings["PORT"]), gateway.folder, gateway.settings)


@pytest.mark.requirement("seed:gateway:http-bearer-legacy-key", "seed:gateway:api-key-legacy-prefix")
async def test_the_main_job_is_done_over_http_with_a_legacy_key(gateway: Gateway, key: str) -> None:
    assert key.startswith("aox_")
    async with talking(network_key(gateway), key) as client:
        await tell(client, gateway.document, "From before")


@pytest.mark.requirement("seed:gateway:api-key-legacy-prefix")
async def test_what_a_legacy_key_made_over_http_is_there_over_stdio(gateway: Gateway, key: str, tmp_path: Path) -> None:
    async with talking(network_key(gateway), key) as client:
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "From before", "mode": "manual"})
    program, arguments = stdio_command()

    async with python_over_stdio(program, arguments, stdio_environment(gateway, key), tmp_path) as client:
        listed = await client.call("list_my_ai_personas", {})

    assert [row["id"] for row in listed["personas"]] == [made["sparkId"]]


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_a_legacy_key_that_nobody_was_given_is_refused(gateway: Gateway, era: str) -> None:
    headers, body = request("tools/call", {"name": TOOLS[2], "arguments": {}}, era=era, key=f"aox_{'0' * 48}")

    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        response = await web.post(gateway.url, headers=headers, json=body)

    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]

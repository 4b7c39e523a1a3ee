"""Keys of the older form, `aox_` and 48 hex digits, are as good as those that are made today."""

from pathlib import Path

import pytest

from tests.journeys.clients import python_over_stdio, stdio_command, stdio_environment
from tests.journeys.gateway import Gateway
from tests.journeys.host import Host, legacy_key_for, talking


@pytest.fixture
async def key(gateway: Gateway) -> str:
    return await legacy_key_for(network_key(gateway))


def network_key(gateway: Gateway) -> Host:
    return Host(int(gateway.settings["PORT"]), gateway.folder, gateway.settings)


@pytest.mark.requirement("seed:gateway:http-bearer-legacy-key", "seed:gateway:api-key-legacy-prefix")
async def test_what_a_legacy_key_made_over_http_is_there_over_stdio(gateway: Gateway, key: str, tmp_path: Path) -> None:
    assert key.startswith("aox_")
    async with talking(network_key(gateway), key) as client:
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "From before", "mode": "manual"})
    program, arguments = stdio_command()

    async with python_over_stdio(program, arguments, stdio_environment(gateway, key), tmp_path) as client:
        listed = await client.call("list_my_ai_personas", {})

    assert [row["id"] for row in listed["personas"]] == [made["sparkId"]]

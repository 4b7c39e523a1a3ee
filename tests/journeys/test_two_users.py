"""Two users never see each other's personas, whatever they ask and however they are connected."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types as types
import pytest

from tests.journeys.clients import PythonClient, python_over_http, python_over_stdio, stdio_command, stdio_environment
from tests.journeys.gateway import Gateway

WAYS = ("auto", "stdio")


@asynccontextmanager
async def connected(gateway: Gateway, key: str, way: str, folder: Path) -> AsyncIterator[PythonClient]:
    if way == "stdio":
        program, arguments = stdio_command()
        async with python_over_stdio(program, arguments, stdio_environment(gateway, key), folder) as client:
            await client.call("list_my_ai_personas", {})  # has the time to wait for the embedded API to start
            yield client
    else:
        async with python_over_http(gateway.url, key, way) as client:
            yield client


@pytest.fixture(scope="module")
def secret() -> dict[str, str]:
    """The id of Alice's persona, made by the first test that wants it."""
    return {}


async def hers(gateway: Gateway, secret: dict[str, str]) -> str:
    if "id" not in secret:
        async with python_over_http(gateway.url, gateway.alice, "auto") as alice:
            wish = {"name": "Alice's own", "mode": "manual"}
            secret["id"] = (await alice.call("create_ai_persona_or_digital_twin", wish))["sparkId"]
    return secret["id"]


@pytest.mark.security("RS-12")
@pytest.mark.parametrize("way", WAYS)
async def test_a_user_sees_only_their_own(gateway: Gateway, secret: dict[str, str], tmp_path: Path, way: str) -> None:
    spark_id = await hers(gateway, secret)

    async with connected(gateway, gateway.alice, way, tmp_path) as alice:
        her_list = await alice.call("list_my_ai_personas", {})
    async with connected(gateway, gateway.bob, way, tmp_path) as bob:
        his_list = await bob.call("list_my_ai_personas", {})
        checked = await bob.result("check_ai_persona_training_progress", {"sparkId": spark_id})
        talked = await bob.result("talk_to_ai_persona", {"sparkId": spark_id, "message": "Who are you?"})

    assert spark_id in [row["id"] for row in her_list["personas"]]
    assert spark_id not in [row["id"] for row in his_list["personas"]]
    assert [failure_code(result) for result in (checked, talked)] == ["not_found", "not_found"]


@pytest.mark.security("RS-12")
async def test_a_name_of_somebody_else_is_not_even_suggested(gateway: Gateway, secret: dict[str, str]) -> None:
    await hers(gateway, secret)

    async with python_over_http(gateway.url, gateway.bob, "auto") as bob:
        result = await bob.result("talk_to_ai_persona", {"sparkName": "Alice's own", "message": "Hello"})

    assert failure_code(result) == "not_found"
    assert result.structured_content["error"]["suggestions"] == []


def failure_code(result: types.CallToolResult) -> str | None:
    return result.structured_content["error"]["code"] if result.is_error else None

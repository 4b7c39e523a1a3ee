"""The main job over stdio, on the data that the HTTP server serves; and what stands on standard output."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.clients import (
    ERAS,
    Inspector,
    python_over_http,
    python_over_stdio,
    stdio_command,
    stdio_environment,
)
from tests.journeys.gateway import Gateway
from tests.journeys.host import Host, legacy_key_for
from tests.journeys.story import TOOLS, tell

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


@pytest.mark.parametrize("era", ERAS)
async def test_the_python_client_does_the_main_job(gateway: Gateway, tmp_path: Path, era: str) -> None:
    program, arguments = stdio_command(fresh=era == "legacy")
    variables = stdio_environment(gateway, gateway.alice)

    async with python_over_stdio(program, arguments, variables, tmp_path, era) as client:
        await tell(client, gateway.document, f"Baker over stdio, {era}")


@pytest.mark.requirement("seed:gateway:same-resources-on-stdio")
async def test_the_widgets_are_the_same_as_over_http(gateway: Gateway, tmp_path: Path) -> None:
    program, arguments = stdio_command()

    async with (
        python_over_stdio(program, arguments, stdio_environment(gateway, gateway.alice), tmp_path) as here,
        python_over_http(gateway.url, gateway.alice) as there,
    ):
        listed = [(await one.session.list_resources()).resources for one in (here, there)]
        texts = [[await one.session.read_resource(each.uri) for each in listed[0]] for one in (here, there)]

    assert len(listed[0]) == 3
    assert [one.uri for one in listed[0]] == [one.uri for one in listed[1]]
    assert [one.contents[0].model_dump()["text"] for one in texts[0]] == [
        one.contents[0].model_dump()["text"] for one in texts[1]
    ]
    assert [(one.meta or {})["ui"]["csp"]["connectDomains"] for one in listed[0]] == [[]] * 3


async def test_the_inspector_lists_the_tools_and_calls_one(gateway: Gateway, tmp_path: Path) -> None:
    program, arguments = stdio_command()
    # It starts the server anew for each call, so the API is the running one and not a child that starts with it.
    variables = {**stdio_environment(gateway, gateway.alice), "MINDSAI_API_URL": gateway.url.removesuffix("/mcp")}
    config = tmp_path / "mcp.json"
    server = {"command": program, "args": arguments, "env": variables, "cwd": str(tmp_path)}
    config.write_text(json.dumps({"mcpServers": {"minds": server}}), "utf-8")

    inspector = Inspector(("--config", str(config), "--server", "minds"), "legacy", tmp_path)

    assert sorted(await inspector.tools()) == list(TOOLS)
    assert "personas" in await inspector.call("list_my_ai_personas", {})


@pytest.mark.requirement("seed:gateway:http-bearer-legacy-key", "seed:gateway:api-key-legacy-prefix")
async def test_what_a_legacy_key_made_over_http_is_there_over_stdio(gateway: Gateway, tmp_path: Path) -> None:
    host = Host(int(gateway.settings["PORT"]), gateway.folder, gateway.settings)
    key = await legacy_key_for(host)
    assert key.startswith("aox_")
    async with python_over_http(host.url, key) as client:
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "From before", "mode": "manual"})
    program, arguments = stdio_command()

    async with python_over_stdio(program, arguments, stdio_environment(gateway, key), tmp_path) as client:
        listed = await client.call("list_my_ai_personas", {})

    assert [row["id"] for row in listed["personas"]] == [made["sparkId"]]


@pytest.mark.parametrize("key", ["good", "bad"])
def test_standard_output_carries_the_protocol_and_nothing_else(gateway: Gateway, tmp_path: Path, key: str) -> None:
    keys = {"good": gateway.alice, "bad": f"minds_{'0' * 48}"}
    program, arguments = stdio_command()

    run = subprocess.run(
        [program, *arguments],
        cwd=tmp_path,
        env={**stdio_environment(gateway, keys[key]), "DEBUG": "true"},
        input="".join(f"{line}\n" for line in _awkward_session()),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    said = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, run.stderr
    assert {message["jsonrpc"] for message in said} == {"2.0"}
    assert {message.get("id") for message in said} >= {1, 2}


def _awkward_session() -> list[str]:
    """A session with everything that makes a program log: refusals, failures, and lines that are no messages."""
    ghost = {"sparkId": "00000000-0000-4000-8000-000000000000"}
    calls: list[dict[str, Any]] = [
        {"name": "list_my_ai_personas", "arguments": {}},
        {"name": "list_my_ai_personas", "arguments": {"nonsense": [1, "\ud83d\ude00"]}},
        {"name": "check_ai_persona_training_progress", "arguments": ghost},
        {"name": "no_such_tool", "arguments": {}},
    ]
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
        *({"id": number, "method": "tools/call", "params": call} for number, call in enumerate(calls, 3)),
        {"id": 9, "method": "no/such/method"},
    ]
    return ["this is not JSON", *(json.dumps({"jsonrpc": "2.0", **message}) for message in messages), "[]", "{}"]

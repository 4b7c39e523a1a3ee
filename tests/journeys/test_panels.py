"""A survey from twelve texts to five files, by stock clients: over HTTP in the older era, over stdio in the newer."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio
import httpx2
import pytest

from tests.journeys.clients import python_over_http, python_over_stdio, stdio_command, stdio_environment
from tests.journeys.gateway import Gateway
from tests.journeys.panel_story import STATED, export, tell


async def over_http(url: str) -> bytes:
    """As a browser does it: without a credential."""
    async with httpx2.AsyncClient(trust_env=False) as web:
        answer = await web.get(url)
    assert answer.status_code == 200
    return answer.content


async def from_disk(url: str) -> bytes:
    assert urlsplit(url).scheme == "file"
    return await anyio.Path(unquote(urlsplit(url).path)).read_bytes()


@pytest.mark.requirement(
    "seed:gateway:runs-panel-surveys",
    "seed:gateway:create-panel",
    "seed:gateway:ask-panel",
    "seed:gateway:export-panel",
)
async def test_a_survey_over_http(gateway: Gateway, tmp_path: Path) -> None:
    async with python_over_http(gateway.url, gateway.alice, "legacy") as client:
        told = await tell(client, gateway, "Rider")

        for kind in ("scale", "categorical", "multiselect"):
            result = told.answers[kind]["result"]
            assert result["overall"]["n"] == STATED[kind]
            assert "no answer was found in its knowledge" in str(result["caveats"])
        await export(client, told, over_http, tmp_path)


async def test_a_survey_over_stdio(gateway: Gateway, tmp_path: Path) -> None:
    program, arguments = stdio_command()
    variables = stdio_environment(gateway, gateway.alice)

    async with python_over_stdio(program, arguments, variables, tmp_path) as client:
        told = await tell(client, gateway, "Cyclist")

        await export(client, told, from_disk, tmp_path)


async def test_somebody_elses_panel_does_not_exist(gateway: Gateway) -> None:
    async with python_over_http(gateway.url, gateway.alice, "auto") as client:
        ada = await client.call("create_ai_persona_or_digital_twin", {"name": "Hers alone", "mode": "manual"})
        group = {"name": "Hers", "sparkIds": [ada["sparkId"]]}
        made = await client.call("create_panel", {"name": "Private panel", "groupConfigs": [group]})

    async with python_over_http(gateway.url, gateway.bob, "auto") as client:
        seen = [
            await client.result(tool, {"panelId": made["panelId"], **more})
            for tool, more in (("ask_panel", {"question": "Why?"}), ("get_panel_results", {}), ("export_panel", {}))
        ]
        stolen = await client.result("create_panel", {"name": "Bob's", "groupConfigs": [group]})
        listed = await client.call("list_panels", {})

    assert {result.structured_content["error"]["code"] for result in (*seen, stolen)} == {"not_found"}
    assert "Private panel" not in str([result.content for result in seen])
    assert made["panelId"] not in [panel["id"] for panel in listed["panels"]]

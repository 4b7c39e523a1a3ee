"""The main job over HTTP with an API key, by clients as they are published, in both protocol eras."""

from pathlib import Path

import pytest

from mcp_server.toolkit.widgets import MIME_TYPE, document, uri_of
from tests.journeys.clients import ERAS, Inspector, python_over_http, python_over_stdio, remote_command, typescript
from tests.journeys.gateway import Gateway
from tests.journeys.story import tell

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28", "modern": "2026-07-28"}


@pytest.mark.parametrize("era", ERAS)
async def test_the_python_client_does_the_main_job(gateway: Gateway, era: str) -> None:
    async with python_over_http(gateway.url, gateway.alice, era) as client:
        assert client.session.protocol_version == VERSIONS[era]
        await tell(client, gateway.document, f"Python {era}")


@pytest.mark.parametrize("era", ERAS)
async def test_the_typescript_client_does_the_main_job(gateway: Gateway, era: str) -> None:
    async with typescript(gateway, gateway.alice, era) as (client, version):
        assert version == VERSIONS[era]
        await tell(client, gateway.document, f"TypeScript {era}")


@pytest.mark.requirement("seed:gateway:inspector-over-http", "seed:gateway:inspector-tools")
@pytest.mark.parametrize("era", ["modern"])
async def test_the_inspector_does_the_main_job(gateway: Gateway, tmp_path: Path, era: str) -> None:
    target = (gateway.url, "--transport", "http", "--header", f"Authorization: Bearer {gateway.alice}")

    await tell(Inspector(target, era, tmp_path), gateway.document, f"Inspector {era}")


@pytest.mark.requirement("seed:gateway:inspector-resources")
async def test_the_inspector_lists_and_reads_the_widgets_whole(gateway: Gateway, tmp_path: Path) -> None:
    target = (gateway.url, "--transport", "http", "--header", f"Authorization: Bearer {gateway.alice}")
    inspector = Inspector(target, "modern", tmp_path)

    listed = (await inspector.run("--method", "resources/list"))["resources"]
    widgets = {one["uri"]: one for one in listed if one["uri"].startswith("ui://")}
    assert len(widgets) == 3
    for name in ("spark", "panel"):
        text = document(name)
        uri = uri_of(name, text)
        [content] = (await inspector.run("--method", "resources/read", "--uri", uri))["contents"]
        assert (content["text"], content["_meta"]) == (text, widgets[uri]["_meta"])
        assert content["mimeType"] == widgets[uri]["mimeType"] == MIME_TYPE


async def test_the_bridge_for_desktop_clients_does_the_main_job(gateway: Gateway, tmp_path: Path) -> None:
    program, arguments, variables = remote_command(gateway, gateway.alice, tmp_path)

    async with python_over_stdio(program, arguments, variables, tmp_path) as client:
        await tell(client, gateway.document, "mcp-remote")

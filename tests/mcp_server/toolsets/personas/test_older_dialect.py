"""The same tools with an internal API that knows only the older words, and is asked for them."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import orjson
import pytest
from mcp import Client
from pydantic import SecretStr

from mcp_server.caller import Caller
from mcp_server.minds_api.credentials import OwnKey
from tests.edge import SITE, make_keys, running, settings_for
from tests.support import ALL_SCOPES, serve

TODAYS = ("/minds", "/audiences", "/studies")


class OlderApi(httpx2.AsyncBaseTransport):
    """An internal API from which today's paths are taken away, and today's names with them."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self.inner, self.asked = inner, list[str]()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/api/v1")
        self.asked.append(path)
        if path.startswith(TODAYS):
            return httpx2.Response(404, json={"statusCode": 404})
        request.headers["host"] = httpx2.URL(SITE).netloc.decode()
        response = await self.inner.handle_async_request(request)
        if path != "/openapi.json":
            return response
        document = orjson.loads(await response.aread())
        left = {name: about for name, about in document["paths"].items() if not any(word in name for word in TODAYS)}
        return httpx2.Response(200, json={**document, "paths": left})


@pytest.fixture
async def older(tmp_path: Path) -> AsyncIterator[tuple[Client, OlderApi]]:
    settings = settings_for(tmp_path)
    key, _ = await make_keys(settings, sorted(ALL_SCOPES))
    ada = Caller(kind="api_key", subject="ada", scopes=ALL_SCOPES, credential=SecretStr(key))
    async with running(settings) as edge:
        api = OlderApi(httpx2.ASGITransport(edge.app))
        async with (
            serve(api, credentials=OwnKey(), dialect=None) as gateway,
            gateway.connect(ada) as client,
        ):
            yield client, api


async def test_a_persona_is_made_trained_found_and_talked_to(older: tuple[Client, OlderApi]) -> None:
    client, api = older
    facts = "Green tea is steeped at eighty degrees for two minutes, and never with boiling water."
    wanted = {"name": "Tea master", "mode": "clone", "personaContext": facts}

    made = await client.call_tool("create_ai_persona_or_digital_twin", wanted)
    identity = {"sparkId": (made.structured_content or {})["sparkId"]}
    status = (made.structured_content or {})["status"]
    while status not in {"completed", "failed"}:
        told = await client.call_tool("check_ai_persona_training_progress", identity)
        status = (told.structured_content or {})["status"]
    listed = await client.call_tool("list_my_ai_personas", {})
    talk = {"sparkName": "Tea master", "message": "How hot is green tea steeped?"}
    answered = await client.call_tool("talk_to_ai_persona", talk)

    assert status == "completed"
    assert [row["name"] for row in (listed.structured_content or {})["personas"]] == ["Tea master"]
    assert not answered.is_error
    assert "eighty" in str(answered.content)
    assert not [path for path in api.asked if path.startswith(TODAYS)]
    assert api.asked.count("/openapi.json") == 1

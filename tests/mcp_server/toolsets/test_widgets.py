"""The widgets as any client gets them over HTTP: listed and read without signing in, and named by their tools."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.composition import Parts
from mcp_server.toolkit.widgets import document, resource_meta, uri_of
from tests.edge import ERAS, MODERN, SITE, Edge, running, settings_for

SPARK, PANEL = (uri_of(name, document(name)) for name in ("spark", "panel"))
ALIAS = "ui://widget/spark.html"
WIDGETS = {
    SPARK: ("spark", "text/html;profile=mcp-app"),
    PANEL: ("panel", "text/html;profile=mcp-app"),
    ALIAS: ("spark", "text/html+skybridge"),
}
SHOWN = {
    "create_ai_persona_or_digital_twin": SPARK,
    "check_ai_persona_training_progress": SPARK,
    "talk_to_ai_persona": SPARK,
    "ask_panel": PANEL,
    "get_panel_results": PANEL,
}
MOST_CHARACTERS = 64
"""Of a sentence that ChatGPT shows while a tool works."""


@pytest.fixture(scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    """The gateway with the tools of the product."""
    async with running(settings_for(tmp_path_factory.mktemp("widgets")), Parts()) as edge:
        yield edge


async def result(edge: Edge, method: str, era: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """What somebody gets who has not signed in."""
    response = await edge.rpc(method, params or {}, era=era)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["result"]
    return found


@pytest.mark.requirement("seed:gateway:factory-registers-resources", "seed:gateway:widget")
@pytest.mark.parametrize("era", ERAS)
async def test_everybody_is_shown_the_widgets_with_their_metadata(gateway: Edge, era: str) -> None:
    listed = (await result(gateway, "resources/list", era))["resources"]

    widgets = {one["uri"]: one for one in listed if one["uri"].startswith("ui://")}
    assert {uri: one["mimeType"] for uri, one in widgets.items()} == {uri: kind for uri, (_, kind) in WIDGETS.items()}
    assert [one["_meta"] for one in widgets.values()] == [resource_meta(SITE)] * len(WIDGETS)
    assert all(one["title"] and one["description"] for one in widgets.values())


@pytest.mark.requirement("seed:gateway:widget-mime")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("uri", WIDGETS)
async def test_everybody_may_read_a_widget_whole_with_its_metadata(gateway: Edge, era: str, uri: str) -> None:
    name, kind = WIDGETS[uri]

    [content] = (await result(gateway, "resources/read", era, {"uri": uri}))["contents"]

    assert content == {"uri": uri, "mimeType": kind, "_meta": resource_meta(SITE), "text": document(name)}


@pytest.mark.parametrize("uri", WIDGETS)
async def test_anybody_may_keep_a_widget_for_a_while(gateway: Edge, uri: str) -> None:
    read = await result(gateway, "resources/read", MODERN, {"uri": uri})

    assert read["cacheScope"] == "public"
    assert read["ttlMs"] >= 3_600_000


@pytest.mark.parametrize("era", ERAS)
async def test_a_widget_of_an_older_text_is_not_there(gateway: Edge, era: str) -> None:
    response = await gateway.rpc("resources/read", {"uri": "ui://widget/spark.000000000000.html"}, era=era)

    assert "error" in response.json()


@pytest.mark.parametrize("era", ERAS)
async def test_each_tool_that_has_a_widget_names_it_for_every_host(gateway: Edge, era: str) -> None:
    response = await gateway.rpc("tools/list", {}, era=era, key=gateway.key)
    tools = {one["name"]: one.get("_meta", {}) for one in response.json()["result"]["tools"]}

    assert {name: meta["ui"]["resourceUri"] for name, meta in tools.items() if "ui" in meta} == SHOWN
    for name, uri in SHOWN.items():
        meta = tools[name]
        assert meta["ui"] == {"resourceUri": uri, "visibility": ["model", "app"]}
        assert (meta["ui/resourceUri"], meta["openai/outputTemplate"]) == (uri, uri)
        assert meta["openai/widgetAccessible"] is True
        for moment in ("invoking", "invoked"):
            assert 0 < len(meta[f"openai/toolInvocation/{moment}"]) <= MOST_CHARACTERS

"""A caller sees the toolsets that it names, and never more than are served."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.datastructures import Headers

from app.composition import Parts
from mcp_server.errors import InvalidRequest
from mcp_server.narrowing import Narrowing
from mcp_server.primitives import Prompt, Resource
from mcp_server.toolkit.quotations import NOTICE
from mcp_server.toolset import Toolset
from tests.edge import ERAS, LEGACY, MODERN, READ, Edge, Said, refusal, request, running, settings_for, tool
from tests.support import ERAS as CLIENT_ERAS
from tests.support import Era, text_of

SERVED = ("weather", "trains", "maps")


async def sun() -> Said:
    """Tell whether the sun shines."""
    return Said(text="it shines")


async def train(place: str = "") -> Said:
    """Tell when the train goes."""
    return Said(text=f"at noon from {place}")


async def tram() -> Said:
    """Tell when the tram goes."""
    return Said(text="soon")


async def timetable(line: str) -> str:
    """When a line goes."""
    return f"{line}: at noon"


async def forecast() -> str:
    """What the weather will be."""
    return "sun"


async def travel(place: str) -> str:
    """Plan a journey."""
    return f"Plan a journey to {place}."


async def places(*, value: str) -> list[str]:
    """Places that begin so."""
    return [f"{value}en"]


def toolsets() -> list[Toolset]:
    by_line = Resource(run=timetable, title="Timetable", public=True, uri="trains://{line}")
    prompt = Prompt(run=travel, title="Travel", public=True, completions={"place": places})
    outlook = Resource(run=forecast, title="Forecast", public=True, uri="weather://forecast")
    return [
        Toolset("weather", "Weather", (tool(sun),), instructions="Weather.", resources=(outlook,)),
        Toolset(
            "trains",
            "Trains",
            (tool(train), tool(tram, public=False, scopes=READ)),
            instructions="Trains.",
            resources=(by_line,),
            prompts=(prompt,),
        ),
        Toolset("maps", "Maps"),
    ]


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    async with running(settings_for(tmp_path_factory.mktemp("narrowing")), Parts(toolsets=toolsets())) as edge:
        yield edge


async def ask(
    edge: Edge,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    era: str,
    url: str = "",
    header: str = "",
    key: str | None = None,
) -> Any:
    """One request at `/mcp` with `url` as its query and `header` as the value of X-MCP-Toolsets."""
    named = {"x-mcp-toolsets": header} if header else {}
    headers, body = request(method, params, era=era, key=key)
    asked = {"toolsets": url} if url else None
    return await edge.client.post("/mcp", params=asked, headers={**headers, **named}, json=body)


def names(response: Any, items: str = "tools", member: str = "name") -> list[str]:
    return [item[member] for item in response.json()["result"][items]]


WAYS = pytest.mark.parametrize(
    "way", [{"url": "weather"}, {"header": " weather ,"}, {"url": "weather,maps", "header": "trains,weather"}]
)
every_era = pytest.mark.parametrize("era", ERAS)


@every_era
@WAYS
async def test_lists_hold_what_is_named_by_the_url_or_the_header_or_both(edge: Edge, era: str, way: Any) -> None:
    first, again = [names(await ask(edge, "tools/list", era=era, **way)) for _ in range(2)]
    resources = await ask(edge, "resources/list", era=era, **way)
    templates = await ask(edge, "resources/templates/list", era=era, **way)
    prompts = await ask(edge, "prompts/list", era=era, **way)

    assert first == again == ["sun"]
    assert names(resources, "resources", "uri") == ["weather://forecast"]
    assert names(templates, "resourceTemplates", "uriTemplate") == []
    assert names(prompts, "prompts") == []
    assert names(await ask(edge, "tools/list", era=era)) == ["sun", "train", "tram"]


@every_era
async def test_what_is_outside_is_answered_as_what_does_not_exist(edge: Edge, era: str) -> None:
    for method, outside, nowhere in (
        ("tools/call", {"name": "train", "arguments": {}}, {"name": "plane", "arguments": {}}),
        ("tools/call", {"name": "tram", "arguments": {}}, {"name": "boat", "arguments": {}}),  # and no sign-in for it
        (
            "prompts/get",
            {"name": "travel", "arguments": {"place": "x"}},
            {"name": "flying", "arguments": {"place": "x"}},
        ),
        ("resources/read", {"uri": "trains://1"}, {"uri": "planes://1"}),
    ):
        hidden = await ask(edge, method, outside, era=era, url="weather")
        unknown = await ask(edge, method, nowhere, era=era, url="weather")
        told = unknown.text.replace("plane", "train").replace("boat", "tram").replace("flying", "travel")

        assert (hidden.status_code, hidden.text) == (unknown.status_code, told)
        assert "error" in hidden.json()


@every_era
async def test_what_is_inside_is_called_read_and_completed_as_ever(edge: Edge, era: str) -> None:
    asked = {"ref": {"type": "ref/prompt", "name": "travel"}, "argument": {"name": "place", "value": "Berg"}}
    completed = [await ask(edge, "completion/complete", asked, era=era, url=each) for each in ("trains", "weather")]
    read = await ask(edge, "resources/read", {"uri": "trains://7"}, era=era, header="trains")
    called = await ask(
        edge, "tools/call", {"name": "train", "arguments": {"place": "here"}}, era=era, url="trains,maps"
    )

    assert [each.json()["result"]["completion"]["values"] for each in completed] == [["Bergen"], []]
    assert read.json()["result"]["contents"][0]["text"] == "7: at noon"
    assert called.json()["result"]["structuredContent"] == {"text": "at noon from here"}


@every_era
@pytest.mark.parametrize(
    "way", [{"url": "weather,planes"}, {"header": "planes"}, {"url": ","}, {"url": "weather", "header": ","}]
)
@pytest.mark.parametrize("method", ["tools/list", "ping", "tools/call"])
async def test_a_name_that_is_not_served_is_an_error_and_never_means_all(
    edge: Edge, era: str, way: Any, method: str
) -> None:
    response = await ask(edge, method, {"name": "sun"} if method == "tools/call" else None, era=era, **way)

    assert refusal(response) == (400, -32600)
    assert response.json()["id"] == 1
    assert all(name in response.json()["error"]["message"] for name in SERVED)


async def test_only_what_the_url_says_may_be_kept_by_a_cache_that_several_share(edge: Edge) -> None:
    scopes = [
        (await ask(edge, "tools/list", era=MODERN, url=url, header=header)).json()["result"]["cacheScope"]
        for url, header in (("", ""), ("weather", ""), ("", "weather"), ("weather", "weather"))
    ]

    assert scopes == ["public", "public", "private", "private"]


@every_era
async def test_instructions_are_those_of_the_toolsets_that_are_seen(edge: Edge, era: str) -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    method, params = ("initialize", hello) if era == LEGACY else ("server/discover", None)

    seen = [
        (await ask(edge, method, params, era=era, url=url)).json()["result"]["instructions"] for url in ("", "trains")
    ]

    assert seen == [f"Weather. Trains. {NOTICE}", f"Trains. {NOTICE}"]


@every_era
async def test_the_query_is_no_part_of_the_resource_that_tokens_are_for(edge: Edge, era: str) -> None:
    plain = await ask(edge, "tools/call", {"name": "tram"}, era=era)
    narrowed = await ask(edge, "tools/call", {"name": "tram"}, era=era, url="trains")
    signed_in = await ask(edge, "tools/call", {"name": "tram"}, era=era, key=edge.key, header="trains")

    assert plain.status_code == narrowed.status_code == 401
    assert plain.headers["www-authenticate"] == narrowed.headers["www-authenticate"]
    assert signed_in.json()["result"]["structuredContent"] == {"text": "soon"}


@pytest.mark.parametrize("era", CLIENT_ERAS)
async def test_a_real_client_narrows_by_the_address_it_is_given(edge: Edge, era: Era) -> None:
    address = f"{edge.client.base_url}/mcp?toolsets=weather"
    async with Client(streamable_http_client(address, http_client=edge.client), mode=era) as client:
        listed = [each.name for each in (await client.list_tools()).tools]
        result = await client.call_tool("sun", {})

    assert listed == ["sun"]
    assert text_of(result) == "it shines"


async def test_a_page_of_an_allowed_origin_may_send_the_header(edge: Edge) -> None:
    wanted = {"access-control-request-method": "POST", "access-control-request-headers": "x-mcp-toolsets"}
    answer = await edge.client.options("/mcp", headers={"origin": str(edge.client.base_url).rstrip("/"), **wanted})

    assert answer.status_code in {200, 204}
    assert "x-mcp-toolsets" in answer.headers["access-control-allow-headers"].lower()


async def test_the_kept_lists_have_a_bound(tmp_path: Path) -> None:
    many = [Toolset(f"set{number}", "Set") for number in range(70)]
    async with running(settings_for(tmp_path), Parts(toolsets=[*toolsets(), *many])) as edge:
        for each in many:
            assert names(await ask(edge, "tools/list", era=LEGACY, url=f"trains,{each.name}")) == ["train", "tram"]

        assert names(await ask(edge, "tools/list", era=LEGACY)) == ["sun", "train", "tram"]


VALUES = st.lists(st.sampled_from([*SERVED, "planes", "", " maps"]), max_size=4).map(",".join) | st.text(max_size=20)


@given(st.none() | VALUES, st.none() | VALUES)
def test_whatever_is_named_no_toolset_is_seen_that_is_not_served_and_named(
    query: str | None, header: str | None
) -> None:
    narrowing = Narrowing(toolsets())
    raw = [(b"x-mcp-toolsets", header.encode())] if header is not None else []
    asked = b"" if query is None else b"toolsets=" + query.encode()
    try:
        narrowed = narrowing.read(asked, Headers(raw=raw))
    except InvalidRequest:
        return

    if narrowed is None:
        assert header is None
        assert query is None
    else:
        assert narrowed.toolsets <= set(SERVED)
        for given_names in (query, header):
            assert given_names is None or all(name in given_names for name in narrowed.toolsets)

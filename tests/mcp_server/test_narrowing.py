"""A caller sees the toolsets that it names, and never more than are served."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2
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
from mcp_server.request_context import RequestContext
from mcp_server.toolkit.quotations import NOTICE
from mcp_server.toolset import Toolset
from tests.edge import ERAS, LEGACY, MODERN, READ, Edge, Said, refusal, request, running, settings_for, tool
from tests.support import ERAS as CLIENT_ERAS
from tests.support import Era, text_of

SERVED = ("weather", "trains", "maps")
HELLO = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
every_era = pytest.mark.parametrize("era", ERAS)


async def sun() -> Said:
    """Tell whether the sun shines."""
    return Said(text="it shines")


async def train(place: str = "") -> Said:
    """Tell when the train goes."""
    return Said(text=f"at noon from {place}")


async def tram() -> Said:
    """Tell when the tram goes."""
    return Said(text="soon")


async def timetable(line: str = "") -> str:
    """When a line goes."""
    return f"{line}: at noon"


async def places(*, value: str) -> list[str]:
    """Places that begin so."""
    return [f"{value}en"]


def toolsets() -> list[Toolset]:
    by_line = Resource(run=timetable, title="Timetable", public=True, uri="trains://{line}")
    clock = Resource(run=timetable, title="Clock", public=True, uri="weather://clock")
    prompt = Prompt(run=timetable, title="Travel", public=True, completions={"line": places})
    of_trains = (tool(train), tool(tram, public=False, scopes=READ))
    return [
        Toolset("weather", (tool(sun),), instructions="Weather.", resources=(clock,)),
        Toolset("trains", of_trains, instructions="Trains.", resources=(by_line,), prompts=(prompt,)),
        Toolset("maps"),
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
) -> httpx2.Response:
    """One request at `/mcp` with `url` as its `?toolsets=` and `header` as the value of X-MCP-Toolsets."""
    headers, body = request(method, params, era=era, key=key)
    named = {"x-mcp-toolsets": header} if header else {}
    asked = {"toolsets": url} if url else None
    return await edge.client.post("/mcp", params=asked, headers={**headers, **named}, json=body)


@every_era
@pytest.mark.parametrize(("url", "header"), [("weather", ""), ("", " weather ,"), ("weather,maps", "trains,weather")])
async def test_lists_and_instructions_are_of_what_is_named_by_the_url_or_the_header_or_both(
    edge: Edge, era: str, url: str, header: str
) -> None:
    seen: dict[str, Any] = {}
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        result = (await ask(edge, method, era=era, url=url, header=header)).json()["result"]
        seen |= {name: [item["name"] for item in items] for name, items in result.items() if isinstance(items, list)}
    method, params = ("initialize", HELLO) if era == LEGACY else ("server/discover", None)
    hello = (await ask(edge, method, params, era=era, url=url, header=header)).json()["result"]
    whole = (await ask(edge, "tools/list", era=era)).json()["result"]["tools"]

    assert seen == {"tools": ["sun"], "resources": ["timetable"], "resourceTemplates": [], "prompts": []}
    assert hello["instructions"] == f"Weather. {NOTICE}"
    assert [each["name"] for each in whole] == ["sun", "train", "tram"]


@every_era
async def test_what_is_outside_is_answered_as_what_does_not_exist(edge: Edge, era: str) -> None:
    for method, member, outside, nowhere in (
        ("tools/call", "name", "train", "plane"),
        ("tools/call", "name", "tram", "boat"),  # which would need a sign-in
        ("prompts/get", "name", "timetable", "flights"),
        ("resources/read", "uri", "trains://1", "planes://1"),
    ):
        hidden = await ask(edge, method, {member: outside}, era=era, url="weather")
        unknown = await ask(edge, method, {member: nowhere}, era=era, header="weather")

        assert (hidden.status_code, hidden.text) == (unknown.status_code, unknown.text.replace(nowhere, outside))
        assert "error" in hidden.json()


@every_era
async def test_what_is_inside_is_called_read_and_completed_as_ever(edge: Edge, era: str) -> None:
    asked = {"ref": {"type": "ref/prompt", "name": "timetable"}, "argument": {"name": "line", "value": "Berg"}}
    completed = [await ask(edge, "completion/complete", asked, era=era, url=each) for each in ("trains", "weather")]
    read = await ask(edge, "resources/read", {"uri": "trains://7"}, era=era, header="trains")
    call = {"name": "train", "arguments": {"place": "here"}}
    called = await ask(edge, "tools/call", call, era=era, url="trains,maps")

    assert [each.json()["result"]["completion"]["values"] for each in completed] == [["Bergen"], []]
    assert read.json()["result"]["contents"][0]["text"] == "7: at noon"
    assert called.json()["result"]["structuredContent"] == {"text": "at noon from here"}


@every_era
@pytest.mark.parametrize(("url", "header"), [("weather,planes", ""), ("", "planes"), (",", ""), ("weather", ",")])
@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
async def test_a_name_that_is_not_served_is_an_error_and_never_means_all(
    edge: Edge, era: str, url: str, header: str, method: str
) -> None:
    response = await ask(
        edge, method, {"name": "sun"} if method == "tools/call" else None, era=era, url=url, header=header
    )

    assert refusal(response) == (400, -32600)
    assert response.json()["id"] == 1
    assert all(name in response.json()["error"]["message"] for name in SERVED)


async def test_only_what_the_url_says_may_be_kept_by_a_cache_that_several_share(edge: Edge) -> None:
    answers = [
        (await ask(edge, "tools/list", era=MODERN, url=url, header=header)).json()
        for url, header in (("", ""), ("weather", ""), ("", "weather"), ("weather", "weather"))
    ]

    assert [each["result"]["cacheScope"] for each in answers] == ["public", "public", "private", "private"]


@every_era
async def test_the_query_is_no_part_of_the_resource_that_tokens_are_for(edge: Edge, era: str) -> None:
    plain = await ask(edge, "tools/call", {"name": "tram"}, era=era)
    narrowed = await ask(edge, "tools/call", {"name": "tram"}, era=era, url="trains")
    signed_in = await ask(edge, "tools/call", {"name": "tram"}, era=era, key=edge.key, url="trains")

    assert plain.status_code == narrowed.status_code == 401
    assert plain.headers["www-authenticate"] == narrowed.headers["www-authenticate"]
    assert signed_in.json()["result"]["structuredContent"] == {"text": "soon"}


@pytest.mark.parametrize("era", CLIENT_ERAS)
async def test_a_real_client_narrows_by_the_address_that_it_is_given(edge: Edge, era: Era) -> None:
    address = f"{edge.client.base_url}/mcp?toolsets=weather"
    async with Client(streamable_http_client(address, http_client=edge.client), mode=era) as client:
        listed = [each.name for each in (await client.list_tools()).tools]
        result = await client.call_tool("sun", {})

    assert (listed, text_of(result)) == (["sun"], "it shines")


async def test_a_page_of_an_allowed_origin_may_send_the_header(edge: Edge) -> None:
    wanted = {"access-control-request-method": "POST", "access-control-request-headers": "x-mcp-toolsets"}
    answer = await edge.client.options("/mcp", headers={"origin": str(edge.client.base_url).rstrip("/"), **wanted})

    assert "x-mcp-toolsets" in answer.headers["access-control-allow-headers"].lower()


VALUES = st.lists(st.sampled_from([*SERVED, "planes", "", " maps"]), max_size=4).map(",".join) | st.text(max_size=20)


@given(st.none() | VALUES, st.none() | VALUES)
def test_no_toolset_is_seen_that_is_not_served_and_named_in_every_way(query: str | None, header: str | None) -> None:
    raw = [(b"x-mcp-toolsets", header.encode())] if header is not None else []
    asked = b"" if query is None else b"toolsets=" + query.encode()
    context = RequestContext("1", Headers(raw=raw))
    try:
        Narrowing(toolsets()).narrow(context, asked)
    except InvalidRequest:
        return

    ways = [way for way in (query, header) if way is not None]
    assert ((narrowed := context.narrowed) is None) == (ways == [])
    assert narrowed is None or narrowed.toolsets <= set(SERVED).intersection(
        *(map(str.strip, way.split(",")) for way in ways)
    )

"""The pair as ChatGPT reads it: through a real client, over HTTP, in both eras, to the last member."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from app.composition import Parts
from mcp_server.runtime import Runtime
from mcp_server.toolkit.sources import Document
from mcp_server.toolset import Toolset, discover
from tests.edge import Edge, running, settings_for
from tests.mcp_server.toolsets.knowledge.three_sources import sources
from tests.support import ERAS, Era, failure_of, text_of

HOSTILE = 'See ![x](https://evil.example/p.png?q="1"), <img src=x> [a]: http://e &lt; \u2028 "quoted" \\ end'
ADDRESS = "https://docs.example/a%20b?version=2&lang=en#part-1"


@asynccontextmanager
async def open_sources(runtime: Runtime) -> AsyncIterator[object]:
    """Opens after `knowledge`, as toolsets may."""
    made = sources()
    made["gateway"].documents["hostile"] = Document(f"Hostile {HOSTILE}", HOSTILE, ADDRESS, {"kind": HOSTILE})
    runtime.sources.update(made)
    yield object()


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    toolsets = [*discover(["knowledge"]), Toolset("libraries", open_service=open_sources)]
    async with running(settings_for(tmp_path_factory.mktemp("knowledge")), Parts(toolsets=toolsets)) as edge:
        yield edge


async def called(edge: Edge, era: Era, tool: str, **arguments: Any) -> types.CallToolResult:
    """What an anonymous client of the protocol library gets; it checks the result against the tool's schema."""
    transport = streamable_http_client(f"{edge.client.base_url}/mcp", http_client=edge.client)
    async with Client(transport, mode=era) as client:
        return await client.call_tool(tool, arguments)


def read(result: types.CallToolResult) -> Any:
    """The JSON of the one text item, which is the structured content, too."""
    assert [part.type for part in result.content] == ["text"]
    assert json.loads(text_of(result)) == result.structured_content
    return result.structured_content


@pytest.mark.parametrize("era", ERAS)
async def test_search_finds_ids_titles_and_addresses_and_fetch_reads_what_was_found(edge: Edge, era: Era) -> None:
    found = read(await called(edge, era, "search", query="pretty print data structures"))
    document = read(await called(edge, era, "fetch", id=found["results"][0]["id"]))

    assert set(found) == {"results"}
    assert {frozenset(each) for each in found["results"]} == {frozenset({"id", "title", "url"})}
    assert found["results"][0]["id"] == "modules:pprint"
    assert set(document) == {"id", "title", "text", "url", "metadata"}
    assert (document["id"], document["url"]) == ("modules:pprint", found["results"][0]["url"])
    assert document["metadata"] == {"source": "modules"}


@pytest.mark.parametrize("era", ERAS)
async def test_what_others_wrote_arrives_as_it_is_and_dead_and_addresses_stay_whole(edge: Edge, era: Era) -> None:
    result = await called(edge, era, "fetch", id="gateway:hostile")
    document = read(result)

    assert (document["text"], document["url"]) == (HOSTILE, ADDRESS)
    assert ADDRESS in text_of(result)
    assert not any(live in text_of(result) for live in ("![", "](", "<img", "&lt;", "]: "))


@pytest.mark.parametrize("era", ERAS)
async def test_an_id_of_nothing_is_a_failure_that_a_model_can_mend(edge: Edge, era: Era) -> None:
    assert failure_of(await called(edge, era, "fetch", id="gateway:nothing"))["code"] == "not_found"
    assert failure_of(await called(edge, era, "search", query="  "))["code"] == "invalid_arguments"
    assert failure_of(await called(edge, era, "search", query="x" * 1_000_000))["code"] == "invalid_arguments"


async def test_without_any_source_the_search_says_so(tmp_path: Path) -> None:
    alone = [replace(toolset, name="alone") for toolset in discover(["knowledge"])]
    async with running(settings_for(tmp_path), Parts(toolsets=alone)) as edge:
        assert failure_of(await called(edge, "auto", "search", query="anything"))["code"] == "not_ready"

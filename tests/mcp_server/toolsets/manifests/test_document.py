"""The five tools by a client, as their document has them: what is sent, and what comes back."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from tests.loopback import serving
from tests.mcp_server.toolsets.manifests.sites import CONFIRM, client_of, manifest, page, react, stripe, written
from tests.support import ERAS, Era, failure_of, text_of

both_eras = pytest.mark.parametrize("era", ERAS)


async def call(client: Client, request: str) -> CallToolResult:
    """Call as a request of the document says."""
    read = json.loads(request)
    return await client.call_tool(read["name"], read["arguments"])


def rows(result: CallToolResult) -> list[dict[str, Any]]:
    """The list in the text, which the structured content holds too."""
    shown: list[dict[str, Any]] = json.loads(text_of(result))
    assert shown == (result.structured_content or {})["results"]
    return shown


@both_eras
@pytest.mark.requirement("seed:pinax:list-docs", "seed:pinax:five-tools")
async def test_list_docs_has_one_entry_for_each_manifest(tmp_path: Path, era: Era) -> None:
    async with client_of(written(tmp_path, stripe(), react()), era=era) as client:
        result = await call(client, '{ "name": "list_docs", "arguments": {} }')
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert rows(result) == [
        {"name": "stripe", "url": "https://docs.stripe.com", "pages": 412},
        {"name": "react", "url": "https://react.dev", "pages": 173},
    ]
    assert set(tools) == {"list_docs", "list_sections", "search_pages", "get_section_pages", "get_page"}


@both_eras
@pytest.mark.requirement("seed:pinax:list-sections", "seed:pinax:list-sections-cheap")
async def test_list_sections_has_url_paths_with_counts(tmp_path: Path, era: Era) -> None:
    async with client_of(written(tmp_path, stripe()), era=era) as client:
        result = await call(client, '{"name": "list_sections", "arguments": { "docs": "stripe" }}')

    assert {"section": "/api", "pages": 138} in rows(result)
    assert [row for row in rows(result) if "more" not in row["section"]] == [
        {"section": "/api", "pages": 138},
        {"section": "/payments", "pages": 67},
        {"section": "/billing", "pages": 41},
    ]


@both_eras
@pytest.mark.requirement("seed:pinax:search-pages")
async def test_search_pages_ranks_the_page_of_the_example_first(tmp_path: Path, era: Era) -> None:
    request = (
        '{"name": "search_pages", "arguments": {"query": "payment intent confirm", "limit": 10, "docs": "stripe"}}'
    )

    async with client_of(written(tmp_path, stripe(), react()), era=era) as client:
        result = await call(client, request)

    first = rows(result)[0]
    assert 0 < first.pop("score") <= 1
    assert first == {"url": CONFIRM, "title": "Confirm a PaymentIntent", "section": "/api/payment_intents"}


@both_eras
@pytest.mark.requirement("seed:pinax:get-section-pages")
async def test_get_section_pages_has_every_page_below_it(tmp_path: Path, era: Era) -> None:
    request = '{"name": "get_section_pages", "arguments": {"section": "/api/payment_intents", "docs": "stripe"}}'

    async with client_of(written(tmp_path, stripe()), era=era) as client:
        result = await call(client, request)

    assert [row["title"] for row in rows(result)] == ["Confirm a PaymentIntent", "Create a PaymentIntent"]
    assert rows(result)[0]["url"] == CONFIRM


@both_eras
@pytest.mark.requirement("seed:pinax:get-page")
async def test_get_page_asks_for_markdown_first_and_reads_html_else(tmp_path: Path, era: Era) -> None:
    path = "/api/payment_intents/confirm"
    async with serving({path: page(), "/md": page("# Title\n\nText.", "text/markdown")}) as site:
        data = written(tmp_path, manifest("local", site.origin, [(path, "Confirm a PaymentIntent")]))
        async with client_of(data, site.netloc, era=era) as client:
            html = await client.call_tool("get_page", {"url": site.origin + path})
            markdown = await client.call_tool("get_page", {"url": site.origin + "/md"})

    assert "accept: text/markdown," in site.heads[0].lower()
    assert "Confirm that your customer intends to pay" in text_of(html)
    assert text_of(html).startswith("# Confirm a PaymentIntent")
    assert "Home" not in text_of(html)
    assert text_of(markdown) == "# Title\n\nText."
    assert (html.structured_content or {})["stale"] is False


@both_eras
@pytest.mark.requirement("seed:pinax:structured-error", "seed:pinax:did-you-mean")
async def test_an_error_is_structured_with_the_name_that_was_meant(tmp_path: Path, era: Era) -> None:
    async with client_of(written(tmp_path, stripe()), era=era) as client:
        result = await client.call_tool("list_sections", {"docs": "striipe"})

    assert result.structured_content == {
        "error": {"code": "not_found", "message": "no manifest named 'striipe' (did you mean 'stripe'?)"}
    }
    assert failure_of(result)["code"] == "not_found"


@pytest.mark.requirement("seed:pinax:docs-argument", "seed:pinax:list-docs-first", "seed:pinax:only-network")
async def test_the_list_of_tools_says_what_they_take_and_which_one_uses_the_network(tmp_path: Path) -> None:
    async with client_of(tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    scoped = {name for name, tool in tools.items() if "docs" in tool.input_schema["properties"]}
    assert scoped == {"list_sections", "search_pages", "get_section_pages"}
    assert all("docs" not in tool.input_schema.get("required", []) for tool in tools.values())
    assert tools["search_pages"].input_schema["properties"]["limit"]["default"] == 10
    assert "Use it first" in (tools["list_docs"].description or "")
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert [name for name, hint in hints.items() if hint and hint.open_world_hint] == ["get_page"]


@pytest.mark.requirement("seed:pinax:list-sections-cheap")
async def test_docs_may_be_left_out_or_null(tmp_path: Path) -> None:
    async with client_of(written(tmp_path, stripe())) as client:
        results = [await client.call_tool("list_sections", given) for given in ({}, {"docs": None}, {"docs": "stripe"})]

    assert rows(results[0]) == rows(results[1]) == rows(results[2])

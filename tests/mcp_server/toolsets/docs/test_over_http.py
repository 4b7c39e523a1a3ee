"""The documentation tools through the whole gateway, as its document calls them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.composition import Parts
from tests.edge import LEGACY, MODERN, Edge, running, settings_for
from tests.mcp_server.stdio_process import HANDSHAKE, started
from tests.mcp_server.toolsets.docs.folder import written

both_eras = pytest.mark.parametrize("era", [LEGACY, MODERN])
QUERY = {"query": "rate limiting"}


@asynccontextmanager
async def gateway(folder: Path, monkeypatch: pytest.MonkeyPatch, **variables: str) -> AsyncIterator[Edge]:
    root = written(folder / "docs")
    public = variables.pop("DOCS_PUBLIC", "true")
    for name, value in {"DOCS_ROOT": str(root), "CACHE_ROOT": str(folder / "cache"), **variables}.items():
        monkeypatch.setenv(name, value)
    async with running(settings_for(folder / "var", toolsets="docs", docs_public=public), Parts()) as edge:
        yield edge


@both_eras
@pytest.mark.requirement(
    "seed:servemd:http-transport",
    "seed:servemd:three-tools",
    "seed:servemd:methods",
    "seed:servemd:request-and-response",
    "seed:servemd:public",
    "seed:servemd:on-demand-search",
)
async def test_anybody_lists_and_calls_the_three_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    async with gateway(tmp_path, monkeypatch) as edge:
        listed = (await edge.rpc("tools/list", era=era)).json()["result"]["tools"]
        answer = (await edge.call("search_docs", QUERY, era=era, identity="unique-id")).json()

    assert {tool["name"] for tool in listed} == {"search_docs", "get_doc_page", "list_doc_pages"}
    assert all({"type": "noauth"} in tool["securitySchemes"] for tool in listed)
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", "unique-id")
    [content] = answer["result"]["content"]
    assert content["type"] == "text"
    assert content["text"].startswith("Found 2 results:\n\n1. api/endpoints.md (score: ")
    assert answer["result"]["structuredContent"]["results"][0]["url"].startswith("http")
    assert len(json.dumps(answer)) < 4_000


@both_eras
@pytest.mark.requirement("seed:servemd:per-address")
async def test_the_three_tools_share_one_limit_for_each_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    async with gateway(tmp_path, monkeypatch, MCP_RATE_LIMIT_REQUESTS="2", MCP_RATE_LIMIT_WINDOW="30") as edge:
        first = await edge.call("search_docs", QUERY, era=era)
        second = await edge.call("list_doc_pages", era=era)
        third = await edge.call("get_doc_page", {"path": "index.md"}, era=era)
        another = await edge.call("list_doc_pages", era=era, key=edge.narrow_key)

    assert ["result" in one.json() for one in (first, second, third, another)] == [True, True, False, True]
    assert third.json()["error"]["data"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert 0 < third.json()["error"]["data"]["retryAfter"] <= 30


async def test_where_documentation_is_not_public_it_needs_its_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gateway(tmp_path, monkeypatch, DOCS_PUBLIC="false") as edge:
        nobody = await edge.call("search_docs", QUERY)
        narrow = await edge.call("search_docs", QUERY, key=edge.narrow_key)
        other = await edge.call("search_docs", QUERY, key=edge.key)

    assert (nobody.status_code, narrow.status_code, other.status_code) == (401, 200, 403)


@pytest.mark.requirement("seed:servemd:standard-codes", "seed:servemd:contextual-errors")
async def test_errors_have_the_codes_of_json_rpc_and_say_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gateway(tmp_path, monkeypatch) as edge:
        codes = [
            (await edge.post(b"{")).json()["error"]["code"],
            (await edge.post(b'{"jsonrpc": "2.0"}')).json()["error"]["code"],
            (await edge.rpc("no/such")).json()["error"]["code"],
            (await edge.call("no_such_tool")).json()["error"]["code"],
        ]
        missing = (await edge.call("get_doc_page", {"path": "api/endpoint.md"})).json()["result"]

    assert codes == [-32700, -32600, -32601, -32602]
    assert missing["isError"] is True
    assert missing["structuredContent"]["error"]["suggestions"] == ["api/endpoints.md"]
    assert "api/endpoint.md" in missing["content"][0]["text"]


@pytest.mark.requirement("seed:servemd:logging")
async def test_what_the_index_read_is_logged_and_queries_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs() as logs:
        async with gateway(tmp_path, monkeypatch) as edge:
            await edge.call("search_docs", {"query": "the-secret-question"})

    [read] = [entry for entry in logs if entry["event"] == "docs_indexed"]
    assert (read["read"], read["removed"]) == (3, 0)
    assert "the-secret-question" not in str(logs)


@pytest.mark.slow
@both_eras
@pytest.mark.requirement("seed:servemd:no-services", "seed:servemd:success")
async def test_on_stdio_it_needs_no_key_no_database_and_no_other_service(tmp_path: Path, era: str) -> None:
    pages = {f"section-{n % 9}/page-{n}.md": f"# Page {n}\n\nAbout zebra {n}.\n" for n in range(150)}
    root, module = written(tmp_path / "docs", pages), ("-m", "mcp_server.stdio")
    async with started(tmp_path, *module, TOOLSETS="docs", DOCS_ROOT=str(root), CACHE_ROOT=str(tmp_path)) as process:
        if era == LEGACY:
            await process.ask("initialize", HANDSHAKE, era)
        found = await process.ask("tools/call", {"name": "search_docs", "arguments": {"query": "zebra 77"}}, era)

    first = found["result"]["structuredContent"]["results"][0]
    assert first["path"] == "section-5/page-77.md"
    assert first["url"].startswith("file://")

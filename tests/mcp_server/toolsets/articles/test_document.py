"""Every example of the source document, literally, in both eras of the protocol."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from tests.edge import BOTH_TYPES, ERAS, LEGACY, Edge
from tests.mcp_server.stdio_process import HANDSHAKE, started
from tests.mcp_server.toolsets.articles.articles import DOCKER, STARTED, gateway

in_both_eras = pytest.mark.parametrize("era", ERAS)
TEXT = (
    "# Getting Started\n\nThis guide will help you get started with our knowledge base.\n\n"
    "Author: John Doe\nCategory: Tutorial\nTags: guide, beginner\nPublished: 2024-11-04 12:00:00 UTC"
)
DOCKER_TEXT = (
    "# Docker Getting Started\n\nThis comprehensive guide covers Docker basics including installation, containers,"
    " and images.\n\nAuthor: DevOps Team\nCategory: DevOps\nTags: docker, containers, tutorial\n"
    "Published: 2024-11-04 10:00:00 UTC"
)
FOUND = (
    "Found 3 articles:\n\n- Docker Getting Started (docker-getting-started)\n  Category: DevOps\n"
    "  This comprehensive guide covers Docker basics including installation, containers, and images...\n\n"
    "- Docker Compose Tutorial (docker-compose-tutorial)\n  Category: DevOps\n"
    "  Learn how to use Docker Compose to define and run multi-container Docker applications...\n\n"
    "- Advanced Docker Networking (advanced-docker-networking)\n  Category: DevOps\n"
    "  Deep dive into Docker networking concepts including bridge networks, overlay networks..."
)
UNKNOWN = {"code": -32602, "message": "Invalid params", "data": "Article not found: unknown-slug"}
WRONG_URI = {"code": -32600, "message": "Invalid Request", "data": "Invalid URI format. Expected: kb://article/{slug}"}
SEARCH_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Search query"},
        "category": {"type": "string", "description": "Filter by category (optional)"},
    },
    "required": ["query"],
}
GET_SCHEMA = {
    "type": "object",
    "properties": {"slug": {"type": "string", "description": "Article slug"}},
    "required": ["slug"],
}


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    folder = tmp_path_factory.mktemp("knowledge_base")
    async with gateway(folder, STARTED, *DOCKER) as (edge, _articles):
        yield edge


async def told(edge: Edge, method: str, params: dict[str, Any], era: str) -> dict[str, Any]:
    answer: dict[str, Any] = (await edge.rpc(method, params, era=era, identity=method)).json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", method)
    return answer


@in_both_eras
@pytest.mark.requirement("seed:kb:list-takes-nothing", "seed:kb:list-example", "seed:kb:list-uri", "seed:kb:list-order")
async def test_the_articles_are_listed_as_resources_the_newest_first(tmp_path: Path, era: str) -> None:
    first = {**STARTED, "content": "This guide will help you get started with..."}
    advanced = {
        "title": "Advanced Features",
        "content": "Learn about advanced features including...",
        "published_at": "2024-11-03T12:00:00Z",
    }
    async with gateway(tmp_path, advanced, first) as (edge, _articles):
        result = (await told(edge, "resources/list", {}, era))["result"]

    assert result["resources"] == [
        {
            "uri": "kb://article/getting-started",
            "name": "Getting Started",
            "description": "This guide will help you get started with...",
            "mimeType": "text/plain",
        },
        {
            "uri": "kb://article/advanced-features",
            "name": "Advanced Features",
            "description": "Learn about advanced features including...",
            "mimeType": "text/plain",
        },
    ]


@in_both_eras
@pytest.mark.requirement("seed:kb:read-uri", "seed:kb:read-example", "seed:kb:success-format", "seed:kb:request-format")
async def test_an_article_is_read_as_a_resource(edge: Edge, era: str) -> None:
    answer = await told(edge, "resources/read", {"uri": "kb://article/getting-started"}, era)

    uri = "kb://article/getting-started"
    assert answer["result"]["contents"] == [{"uri": uri, "mimeType": "text/plain", "text": TEXT}]


@in_both_eras
@pytest.mark.requirement(
    "seed:kb:read-not-found", "seed:kb:get-not-found", "seed:kb:error-format", "seed:kb:practice-errors"
)
async def test_an_unknown_slug_is_the_documented_error_for_the_resource_and_the_tool(edge: Edge, era: str) -> None:
    call = {"name": "get_article", "arguments": {"slug": "unknown-slug"}}

    read = await edge.rpc("resources/read", {"uri": "kb://article/unknown-slug"}, era=era)
    called = await edge.rpc("tools/call", call, era=era)

    assert [(one.status_code, one.json()["error"]) for one in (read, called)] == [(404, UNKNOWN)] * 2


@in_both_eras
@pytest.mark.parametrize("uri", ["kb://article/", "kb://articles/one", "kb:article", "kb://article/a/b", "kb://"])
@pytest.mark.requirement("seed:kb:read-invalid-uri", "seed:kb:trouble-uri")
async def test_another_form_of_uri_is_the_documented_error(edge: Edge, era: str, uri: str) -> None:
    answer = await edge.rpc("resources/read", {"uri": uri}, era=era)

    assert (answer.status_code, answer.json()["error"]) == (400, WRONG_URI)


async def test_a_client_of_2025_reads_the_documented_error_with_the_status_that_keeps_its_session(
    tmp_path: Path,
) -> None:
    async with gateway(tmp_path, http_error_status="auto") as (edge, _articles):
        answer = await edge.call("get_article", {"slug": "unknown-slug"})

    assert (answer.status_code, answer.json()["error"]) == (200, UNKNOWN)


@in_both_eras
@pytest.mark.requirement("seed:kb:tools-take-nothing", "seed:kb:tools-search", "seed:kb:tools-get")
async def test_the_tools_are_listed_with_the_documented_arguments(edge: Edge, era: str) -> None:
    tools = {tool["name"]: tool for tool in (await told(edge, "tools/list", {}, era))["result"]["tools"]}

    schemas = {"search_articles": SEARCH_SCHEMA, "get_article": GET_SCHEMA}
    assert {name: tool["inputSchema"] for name, tool in tools.items()} == {
        name: {**schema, "additionalProperties": False} for name, schema in schemas.items()
    }
    assert tools["search_articles"]["description"].startswith("Search for articles in the knowledge base")
    assert tools["get_article"]["description"].startswith("Get a specific article by slug")


@in_both_eras
@pytest.mark.both_databases
@pytest.mark.requirement(
    "seed:kb:search-example", "seed:kb:search-by-date", "seed:kb:call-parameters", "seed:kb:search-full-text"
)
async def test_a_search_answers_the_example_in_the_order_of_the_document(
    tmp_path: Path, database: URL, migrated: None, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    monkeypatch.setenv("ARTICLES_ORDER", "date")
    call = {"name": "search_articles", "arguments": {"query": "docker tutorial", "category": "DevOps"}}
    address = database.render_as_string(hide_password=False)
    async with gateway(tmp_path, STARTED, *DOCKER[::-1], database_url=address) as (edge, _articles):
        result = (await told(edge, "tools/call", call, era))["result"]

    assert result["content"] == [{"type": "text", "text": FOUND}]


async def test_a_search_is_by_relevance_unless_a_setting_says_otherwise(edge: Edge) -> None:
    call = await edge.call("search_articles", {"query": "docker tutorial"})

    slugs = [hit["slug"] for hit in call.json()["result"]["structuredContent"]["articles"]]
    assert slugs[0] == "docker-compose-tutorial", "the only one with both words in its title"
    assert len(slugs) == 3


@in_both_eras
@pytest.mark.requirement("seed:kb:get-example", "seed:kb:get-slug")
async def test_an_article_is_read_by_the_tool(edge: Edge, era: str) -> None:
    call = {"name": "get_article", "arguments": {"slug": "docker-getting-started"}}
    result = (await told(edge, "tools/call", call, era))["result"]

    assert result["content"] == [{"type": "text", "text": DOCKER_TEXT}]


@in_both_eras
@pytest.mark.requirement("seed:kb:search-query", "seed:kb:invalid-params")
async def test_wrong_parameters_are_told(edge: Edge, era: str) -> None:
    read = (await edge.rpc("resources/read", {"uri": 7}, era=era)) if era == LEGACY else None
    called = [
        (await edge.call("search_articles", arguments, era=era)).json()["result"]
        for arguments in ({}, {"query": 7}, {"query": "docker", "tag": "x"})
    ]

    assert read is None or read.json()["error"]["code"] == -32602
    assert [result["structuredContent"]["error"]["code"] for result in called] == ["invalid_arguments"] * 3


@pytest.mark.requirement(
    "seed:kb:parse-error", "seed:kb:invalid-request", "seed:kb:method-not-found", "seed:kb:trouble-content-type"
)
async def test_what_is_no_request_has_the_documented_codes(edge: Edge) -> None:
    bodies = [b"{", b'{"method":"resources/list","id":1}', b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","method":7}']
    codes = [(await edge.post(body)).json()["error"]["code"] for body in bodies]
    unknown = await edge.rpc("Resources/List", {})
    plain = await edge.post(b"{}", content_type="text/plain")

    assert codes == [-32700, -32600, -32600, -32600]
    assert unknown.json()["error"]["code"] == -32601
    assert plain.status_code == 415


@pytest.mark.requirement(
    "seed:kb:purpose", "seed:kb:workflow", "seed:kb:trouble-methods", "seed:kb:practice-ids",
    "seed:kb:practice-version", "seed:kb:integration-discovers",
)  # fmt: skip
async def test_the_workflow_of_the_document_works_without_a_handshake_and_with_its_headers_alone(edge: Edge) -> None:
    requests = [
        ("resources/list", {}),
        ("tools/call", {"name": "search_articles", "arguments": {"query": "API documentation"}}),
        ("resources/read", {"uri": "kb://article/getting-started"}),
        ("tools/call", {"name": "get_article", "arguments": {"slug": "getting-started"}}),
    ]
    for number, (method, params) in enumerate(requests, 1):
        body = {"jsonrpc": "2.0", "method": method, "params": params, "id": number}
        answer = await edge.client.post("/mcp", headers={"Content-Type": "application/json"}, json=body)

        assert (answer.status_code, answer.json()["id"], answer.json()["jsonrpc"]) == (200, number, "2.0")
        assert "result" in answer.json()


@pytest.mark.requirement("seed:kb:practice-discover", "seed:kb:practice-read")
async def test_models_are_told_how_to_go_about_it(edge: Edge) -> None:
    body = {"jsonrpc": "2.0", "method": "initialize", "params": HANDSHAKE, "id": 1}
    answer = await edge.client.post("/mcp", headers={"accept": BOTH_TYPES}, json=body)

    told = answer.json()["result"]["instructions"]
    assert all(word in told for word in ("resources/list", "search_articles", "get_article", "kb://article/{slug}"))


@in_both_eras
async def test_the_template_is_listed(edge: Edge, era: str) -> None:
    [template] = (await told(edge, "resources/templates/list", {}, era))["result"]["resourceTemplates"]

    assert (template["uriTemplate"], template["mimeType"]) == ("kb://article/{slug}", "text/plain")


@pytest.mark.requirement("seed:kb:list-description", "seed:kb:list-published", "seed:kb:list-not-deleted")
async def test_only_what_is_published_and_not_deleted_is_listed_with_200_characters(tmp_path: Path) -> None:
    draft = {"title": "A draft", "published_at": None}
    long = {"title": "Long", "content": "0123456789" * 30}
    async with gateway(tmp_path, long, draft, STARTED) as (edge, articles):
        await articles.mark("getting-started", "delete")
        listed = (await told(edge, "resources/list", {}, LEGACY))["result"]["resources"]
        found = (await edge.call("search_articles", {"query": "draft started guide"})).json()["result"]
        hidden = [
            (await edge.call("get_article", {"slug": slug})).json()["error"]["code"]
            for slug in ("a-draft", "getting-started")
        ]

    assert [(one["uri"], one["description"]) for one in listed] == [("kb://article/long", "0123456789" * 20)]
    assert found["structuredContent"]["articles"] == []
    assert hidden == [-32602] * 2


@in_both_eras
async def test_resources_are_paged_by_a_cursor_of_fifty(tmp_path: Path, era: str) -> None:
    many = [{"title": f"Article {number}"} for number in range(120)]  # of one moment: the id decides
    async with gateway(tmp_path, *many) as (edge, _articles):
        pages: list[list[str]] = []
        params: dict[str, Any] | None = {}
        while params is not None:
            result = (await told(edge, "resources/list", params, era))["result"]
            pages.append([one["uri"] for one in result["resources"]])
            params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
        wrong = [
            (await edge.rpc("resources/list", {"cursor": one}, era=era)).json()["error"]["code"]
            for one in ("7:", "x", "0:x", "0:1.x", "0:" + "9" * 5_000)
        ]

    assert [len(page) for page in pages] == [50, 50, 20]
    assert len({uri for page in pages for uri in page}) == 120
    assert wrong == [-32602] * 5


async def test_where_documents_are_not_public_nobody_sees_or_reads_them_without_the_scope(tmp_path: Path) -> None:
    async with gateway(tmp_path, STARTED, docs_public=False) as (edge, _articles):
        listed = [(await told(edge, "resources/list", {}, era))["result"]["resources"] for era in ERAS]
        read = await edge.rpc("resources/read", {"uri": "kb://article/getting-started"})
        called = await edge.call("get_article", {"slug": "getting-started"})
        mine = await edge.rpc("resources/list", {}, key=edge.narrow_key)

    assert listed == [[], []]
    assert (read.status_code, called.status_code) == (401, 401)
    assert len(mine.json()["result"]["resources"]) == 1


@in_both_eras
async def test_on_stdio_it_needs_neither_an_account_nor_a_key(tmp_path: Path, era: str) -> None:
    async with gateway(tmp_path, STARTED):
        pass

    call = {"name": "get_article", "arguments": {"slug": "unknown-slug"}}
    async with started(tmp_path, TOOLSETS="articles") as process:
        if era == LEGACY:
            await process.handshake()
        listed = await process.ask("resources/list", {}, era)
        read = await process.ask("resources/read", {"uri": "kb://article/getting-started"}, era)
        unknown = await process.ask("tools/call", call, era)
        wrong = await process.ask("resources/read", {"uri": "kb://nothing"}, era)

    assert len(listed["result"]["resources"]) == 1
    assert read["result"]["contents"][0]["text"] == TEXT
    assert (unknown["error"], wrong["error"]) == (UNKNOWN, WRONG_URI)


async def test_on_stdio_a_database_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    async with started(tmp_path, TOOLSETS="articles", DATABASE_URL="mysql://nowhere/x") as process:
        out, err, code = await process.end()

    assert (out, code, err.count(b"\n")) == (b"", 2, 1)

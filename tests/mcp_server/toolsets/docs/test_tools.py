"""The documentation tools, by a client, as their document has them."""

from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from mcp_server.settings import McpSettings
from mcp_server.toolset import configured_toolsets
from tests.mcp_server.toolsets.docs.folder import ENDPOINTS, docs_client, written
from tests.support import Era, failure_of, text_of

ERAS: tuple[Era, ...] = ("auto", "legacy")
both_eras = pytest.mark.parametrize("era", ERAS)

SIDEBAR = """# Navigation

- [Welcome](index.md)
- **Reference**
  - [Endpoints](/api/endpoints.html#get-search)
- How to
  - [Settings](configuration)
  - [Elsewhere](https://elsewhere.example/x.md)
"""


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    return await client.call_tool(tool, arguments)


@both_eras
@pytest.mark.requirement("seed:servemd:search-docs", "seed:servemd:search-output", "seed:servemd:snippet")
async def test_a_search_answers_as_documented_with_the_section_and_its_lines(tmp_path: Path, era: Era) -> None:
    async with docs_client(written(tmp_path / "docs"), era) as client:
        result = await call(client, "search_docs", query="rate limiting")

    first = result.structured_content["results"][0]
    lines = text_of(result).splitlines()
    assert lines[0] == "Found 2 results:"
    assert lines[2] == f"1. api/endpoints.md (score: {first['score']})"
    assert lines[3].startswith("   'No rate limiting by default.")
    assert first["anchor"] == "api-endpoints"
    assert (first["lineStart"], first["lineEnd"]) == (1, 15)
    assert first["url"].endswith("/docs/api/endpoints.md#api-endpoints")


@both_eras
@pytest.mark.requirement("seed:servemd:get-doc-page")
async def test_a_page_is_its_markdown_and_sections_of_it_are_those_parts(tmp_path: Path, era: Era) -> None:
    async with docs_client(written(tmp_path / "docs"), era) as client:
        whole = await call(client, "get_doc_page", path="api/endpoints.md")
        part = await call(client, "get_doc_page", path="/api/endpoints", sections=["get /llms.txt", "#get-search"])
        missing = await call(client, "get_doc_page", path="api/endpoints.md", sections=["GET /nothing"])

    assert text_of(whole) == ENDPOINTS
    assert text_of(part) == f"{ENDPOINTS[ENDPOINTS.index('## GET /llms') :]}".replace(
        "hour.\n\n##", "hour.\n\n\n##"
    ).rstrip("\n")
    assert failure_of(missing)["sections"] == ["API Endpoints", "GET /llms.txt", "Caching", "GET /search"]


@both_eras
@pytest.mark.requirement("seed:servemd:list-doc-pages")
async def test_the_list_is_as_documented(tmp_path: Path, era: Era) -> None:
    async with docs_client(written(tmp_path / "docs"), era) as client:
        result = await call(client, "list_doc_pages")

    assert text_of(result) == "Documentation Pages:\n\n- index.md\n- configuration.md\n- api/endpoints.md"


@pytest.mark.requirement("seed:servemd:categories")
async def test_categories_are_those_of_the_sidebar(tmp_path: Path) -> None:
    root = written(tmp_path / "docs", {"sidebar.md": SIDEBAR, "loose.md": "# Loose\n"})
    async with docs_client(written(root)) as client:
        every = (await call(client, "list_doc_pages")).structured_content
        one = await call(client, "list_doc_pages", category=" reference")
        none = await call(client, "list_doc_pages", category="Referense")

    assert every["categories"] == [
        {"name": "Navigation", "pages": ["index.md"]},
        {"name": "Reference", "pages": ["api/endpoints.md"]},
        {"name": "How to", "pages": ["configuration.md"]},
        {"name": "Other", "pages": ["loose.md"]},
    ]
    assert text_of(one) == "Documentation Pages:\n\n- api/endpoints.md"
    assert failure_of(none)["suggestions"] == ["Reference"]


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "/etc/passwd",
        "%2e%2e%2fsecret.md",
        "%252e%252e/secret.md",
        "api/../../secret.md",
        "a" * 1000,
        "indx.md",
    ],
)
@pytest.mark.requirement("seed:servemd:path-traversal")
async def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n", encoding="utf-8")
    async with docs_client(written(tmp_path / "docs")) as client:
        result = await call(client, "get_doc_page", path=path)

    assert failure_of(result)["code"] == "not_found"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_docs", {"query": ""}),
        ("search_docs", {"query": "x" * 501}),
        ("search_docs", {"query": "x" * 1_000_000}),
        ("search_docs", {"query": "nul \x00"}),
        ("search_docs", {"query": "x", "limit": 0}),
        ("search_docs", {"query": "x", "limit": 51}),
        ("get_doc_page", {"path": ""}),
        ("get_doc_page", {"path": "index.md\x00.md"}),
        ("get_doc_page", {}),
    ],
)
@pytest.mark.requirement("seed:servemd:validated-input")
async def test_wrong_arguments_are_refused_with_a_reason(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    async with docs_client(written(tmp_path / "docs")) as client:
        assert failure_of(await call(client, tool, **arguments))["code"] == "invalid_arguments"


@pytest.mark.parametrize(
    "query", ['"', "title:x OR body:*", "NEAR(a b)", "a) --", "^index*", "- -", "'; DROP TABLE pages;"]
)
async def test_the_syntax_of_the_engine_is_no_syntax_here(tmp_path: Path, query: str) -> None:
    async with docs_client(written(tmp_path / "docs")) as client:
        assert (await call(client, "search_docs", query=query)).is_error is False


@pytest.mark.requirement("seed:servemd:max-results", "seed:servemd:snippet-length")
async def test_the_settings_bound_results_and_snippets(tmp_path: Path) -> None:
    pages = {f"{n}.md": f"# Page {n}\n\n{'zebra and other words ' * 50}\n" for n in range(5)}
    root = written(tmp_path / "docs", pages)
    async with docs_client(root, mcp_max_search_results=2, mcp_snippet_length=50) as client:
        found = (await call(client, "search_docs", query="zebra")).structured_content
        more = (await call(client, "search_docs", query="zebra", limit=4)).structured_content

    assert (found["total"], more["total"]) == (2, 4)
    assert max(len(one["snippet"]) for one in found["results"]) <= 53


async def test_a_changed_page_is_found_without_a_restart(tmp_path: Path) -> None:
    root = written(tmp_path / "docs")
    toolsets, _ = configured_toolsets(McpSettings(_env_file=None, toolsets="docs"), None, docs_root=root)
    assert toolsets
    async with docs_client(root) as client:
        before = (await call(client, "search_docs", query="zebra")).structured_content
    (root / "index.md").write_text("# Welcome\n\nA zebra.\n", encoding="utf-8")
    async with docs_client(root) as client:
        after = (await call(client, "search_docs", query="zebra")).structured_content

    assert (before["total"], after["total"]) == (0, 1)


async def test_a_long_page_is_cut_and_says_so(tmp_path: Path) -> None:
    async with docs_client(written(tmp_path / "docs", {"long.md": "# Long\n\n" + "word " * 50_000})) as client:
        result = await call(client, "get_doc_page", path="long.md")

    assert result.structured_content["cut"] is True
    assert text_of(result).endswith("Ask for some of its sections: Long")


@pytest.mark.requirement("seed:servemd:mcp-enabled")
def test_switched_off_it_is_not_served() -> None:
    toolsets, _ = configured_toolsets(McpSettings(_env_file=None, toolsets="docs"), None, mcp_enabled=False)

    assert toolsets == []


@pytest.mark.requirement("seed:servemd:rate-limit-settings")
def test_its_tools_share_the_limit_of_its_settings() -> None:
    [docs], _ = configured_toolsets(McpSettings(_env_file=None, toolsets="docs"), None, mcp_rate_limit_requests=7)

    assert {(tool.limit, tool.window) for tool in docs.tools} == {("7/60seconds", "docs")}


async def test_a_folder_that_is_gone_is_said_and_nothing_else_of_it(tmp_path: Path) -> None:
    async with docs_client(tmp_path / "nowhere") as client:
        with pytest.raises(Exception, match="DOCS_ROOT") as refusal:
            await call(client, "search_docs", query="x")

    assert str(tmp_path) not in str(refusal.value)

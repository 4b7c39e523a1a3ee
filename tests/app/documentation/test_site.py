"""The documentation folder for people and programs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from app.composition import Parts
from app.documentation.rendering import LARGEST, Renderer
from mcp_server.toolsets.docs.pages import Reader
from tests.edge import running, settings_for
from tests.mcp_server.toolsets.docs.folder import ENDPOINTS, PAGES, written

HOSTILE = """# <script>alert(1)</script>

[x](javascript:alert(1)) <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png)

[next](../configuration.md#top) [away](https://elsewhere.example/a.md) \u202egnp.exe
"""


@asynccontextmanager
async def site(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pages: dict[str, str] | None = None, **settings: object
) -> AsyncIterator[httpx2.AsyncClient]:
    monkeypatch.setenv("DOCS_ROOT", str(written(folder / "docs", pages or PAGES)))
    monkeypatch.setenv("CACHE_ROOT", str(folder / "cache"))
    async with running(settings_for(folder / "var", toolsets="docs", **settings), Parts()) as edge:
        yield edge.client


async def test_pages_are_listed_shown_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as web:
        listed = await web.get("/docs")
        page = await web.get("/docs/api/endpoints")
        found = await web.get("/docs/search", params={"q": "rate limiting"})
        program = (await web.get("/docs/search", params={"q": "rate limiting", "format": "json"})).json()

    assert '<a href="/docs/api/endpoints">API Endpoints</a>' in listed.text
    assert '<h2 id="get-llmstxt">GET /llms.txt</h2>' in page.text
    assert "script-src &#39;self&#39;" not in page.text
    assert "unsafe-inline" not in page.headers["content-security-policy"]
    assert 'href="/docs/api/endpoints#api-endpoints"' in found.text
    assert program["results"][0]["url"] == "/docs/api/endpoints#api-endpoints"


async def test_the_address_of_a_search_result_is_a_page_with_that_anchor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with site(tmp_path, monkeypatch) as web:
        [first, *_] = (await web.get("/docs/search", params={"q": "UC-2-002", "format": "json"})).json()["results"]
        address, _, anchor = first["url"].partition("#")
        page = await web.get(address)

    assert page.status_code == 200
    assert f'id="{anchor}"' in page.text


async def test_markdown_is_there_for_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as web:
        raw = await web.get("/docs/api/endpoints.md")
        asked = await web.get("/docs/api/endpoints", headers={"accept": "text/markdown"})
        listed = await web.get("/llms.txt")
        whole = await web.get("/llms-full.txt")
        robots = await web.get("/robots.txt")
        link = listed.text.split("](")[1].split(")")[0]
        followed = await web.get(link)

    assert (raw.text, asked.text) == (ENDPOINTS, ENDPOINTS)
    assert raw.headers["content-type"] == "text/markdown; charset=utf-8"
    assert listed.text.startswith("# Documentation\n\n> ")
    assert followed.status_code == 200
    assert all(text.strip() in whole.text for text in PAGES.values())
    assert "Allow: /docs\n" in robots.text


async def test_a_curated_list_for_models_is_served_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch, {**PAGES, "llms.txt.md": "# Mine\n"}) as web:
        assert (await web.get("/llms.txt")).text == "# Mine\n"


@pytest.mark.parametrize(
    "path",
    ["/docs/../secret", "/docs/%2e%2e%2fsecret.md", "/docs/%252e%252e/secret.md", "/docs/a%00b", "/docs/" + "a" * 3000],
)
async def test_no_path_leads_out_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    (tmp_path / "secret.md").write_text("# the-secret\n", encoding="utf-8")
    async with site(tmp_path, monkeypatch) as web:
        answer = await web.get(path)

    assert answer.status_code in {400, 404}
    assert "the-secret" not in answer.text


async def test_an_unknown_page_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as web:
        answer = await web.get("/docs/api/endpoint")

    assert answer.status_code == 404
    assert "/docs/api/endpoints" in answer.text


async def test_markup_in_a_page_is_text_and_links_lead_to_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with site(tmp_path, monkeypatch, {**PAGES, "api/hostile.md": HOSTILE}) as web:
        page = (await web.get("/docs/api/hostile")).text
        found = (await web.get("/docs/search", params={"q": "script alert"})).text

    for text in (page, found):
        assert "<script>alert" not in text
        assert "<img" not in text
    assert 'href="javascript' not in page
    assert 'href="/docs/configuration#top"' in page
    assert 'href="https://elsewhere.example/a.md"' in page


async def test_it_is_there_only_where_documentation_is_served_and_public(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with site(tmp_path / "1", monkeypatch, docs_public=False) as web:
        private = [(await web.get(path)).status_code for path in ("/docs", "/docs/index", "/llms.txt")]
    async with running(settings_for(tmp_path / "2", toolsets="personas"), Parts()) as edge:
        absent = (await edge.client.get("/docs")).status_code

    assert (private, absent) == ([404, 404, 404], 404)


async def test_searches_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch, rate_limit_anonymous="2/minute") as web:
        statuses = [(await web.get("/docs/search", params={"q": "rate"})).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]


BOMBS = {
    "brackets": "[" * 100_000,
    "emphasis": "*a " * 30_000,
    "quotes": "> " * 50_000 + "x",
    "lists": "- " * 50_000 + "x",
    "links": "[a](" * 25_000,
    "backticks": "".join("`" * n + " " for n in range(400)),
    "one line": "x" * LARGEST,
    "table": "|" * 50_000 + "\n" + "|-" * 50_000 + "|\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_shown(kind: str) -> None:
    text = BOMBS[kind]
    page = Reader().read("a.md", text, mtime=0, size=len(text))

    assert Renderer().html("a.md", text, page.sections)


def test_a_very_large_page_is_shown_as_it_is_written() -> None:
    assert Renderer().html("a.md", "<b>" * LARGEST, ()).startswith('<pre class="whole">&lt;b&gt;')

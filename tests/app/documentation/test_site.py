"""The documentation folder for people and programs, and nothing from outside of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from app.composition import Parts
from app.documentation.llms import everything
from mcp_server.toolsets.docs.index import DocsIndex
from mcp_server.toolsets.docs.service import DocsService
from tests.edge import SITE, running, settings_for
from tests.html_pages import HtmlPage
from tests.mcp_server.toolsets.docs.folder import PAGES, written

FRONT = "---\ntitle: Titled\n---\n\n## First\n\nThe [endpoints](api/endpoints.md#caching).\n"
SIDEBAR = "# Start\n\n- [Welcome](index.md)\n- [Front](front.md)\n\n# Reference\n\n- [Endpoints](api/endpoints.md)\n"
MORE = {
    "front.md": FRONT,
    "sidebar.md": SIDEBAR,
    "search.md": "# How it searches\n",
    "api/index.md": "# The API\n",
    "component.mdx": "# A component\n",
    "backwards.md": "# \u202egnp.exe\n\nxyzzy\n",
    "a b/%2e.md": "# Odd\n",
}


@asynccontextmanager
async def site(folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: object) -> AsyncIterator[httpx2.AsyncClient]:
    root = written(folder / "docs", PAGES | MORE)
    (folder / "secret.md").write_text("# the-secret\n")
    for name in ("out.md", "llms.txt"):
        (root / name).symlink_to(folder / "secret.md")
    monkeypatch.setenv("DOCS_ROOT", str(root))
    monkeypatch.setenv("CACHE_ROOT", str(folder / "cache"))
    async with running(settings_for(folder / "var", **{"toolsets": "docs", **settings}), Parts()) as edge:
        edge.client.headers["accept"] = "text/html"
        yield edge.client


@pytest.fixture(scope="module")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    """One site for all tests that leave its folder as it is."""
    with pytest.MonkeyPatch.context() as patch:
        async with site(tmp_path_factory.mktemp("site"), patch) as client:
            yield client


@pytest.fixture
async def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx2.AsyncClient]:
    """A site in a folder that the test may change."""
    async with site(tmp_path, monkeypatch) as client:
        yield client


async def test_the_list_has_the_categories_of_the_sidebar_and_a_search(web: httpx2.AsyncClient) -> None:
    page = await web.get("/docs")

    assert page.text.index("<bdi>Start") < page.text.index('href="/docs/front"') < page.text.index("<bdi>Reference")
    assert [form.action for form in HtmlPage(page.text).forms] == ["/docs/search"]
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert (await web.get("/docs/-/search.js")).headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/docs/api/endpoints", '<h3 id="caching">Caching</h3>'),
        ("/docs/front", '<a href="/docs/api/endpoints#caching">endpoints</a>'),
        ("/docs/front", "<h1>Titled</h1>"),
        ("/docs/front", '<h2 id="first">First</h2>'),
        ("/docs/api", "The API</h1>"),
        ("/docs/search", "How it searches</h1>"),
        ("/docs/component", "A component</h1>"),
        ("/docs/a%20b/%252e", "Odd</h1>"),
    ],
)
async def test_a_page_is_rendered_where_its_links_lead(web: httpx2.AsyncClient, path: str, words: str) -> None:
    page = await web.get(path)

    assert page.status_code == 200
    assert words in page.text
    assert "title: Titled" not in page.text


async def test_every_link_of_the_list_leads_to_a_page(web: httpx2.AsyncClient) -> None:
    links = [link for link in HtmlPage((await web.get("/docs")).text).links if link.startswith("/docs/")]

    assert len(links) == len(PAGES | MORE) - 1
    assert {(await web.get(link)).status_code for link in links} == {200}


async def test_the_head_of_a_page_can_be_asked_for(web: httpx2.AsyncClient) -> None:
    assert (await web.head("/docs/index")).status_code == 200
    assert (await web.post("/docs/index")).status_code == 405


async def test_programs_get_the_markdown(web: httpx2.AsyncClient) -> None:
    raw = await web.get("/docs/front.md")
    asked = await web.get("/docs/front", headers={"accept": "text/markdown, text/html;q=0.5"})
    missing = await web.get("/docs/frnt.md")

    assert raw.text == asked.text == FRONT
    assert raw.headers["content-type"] == "text/markdown; charset=utf-8"
    assert asked.headers["vary"] == "Accept"
    assert missing.headers["content-type"].startswith("text/plain")
    assert f"{SITE}/docs/front.md" in missing.text


async def test_the_search_answers_people_and_programs(web: httpx2.AsyncClient) -> None:
    page = await web.get("/docs/search?q=caching")
    [first, *_] = (await web.get("/docs/search?q=caching&format=json")).json()["results"]
    address, _, anchor = first["url"].partition("#")
    hostile = await web.get("/docs/search", params={"q": '"><script>alert(1)</script> " OR 1=1\x00' + "x" * 5_000})

    assert 'href="/docs/api/endpoints#caching"' in page.text
    assert (first["path"], anchor) == ("api/endpoints.md", "caching")
    assert f'id="{anchor}"' in (await web.get(address)).text
    assert hostile.status_code == 200
    assert "<script>alert" not in hostile.text
    assert (await web.get("/docs/search?q=")).status_code == 200


async def test_text_that_runs_backwards_stays_in_its_place(web: httpx2.AsyncClient) -> None:
    for address in ("/docs", "/docs/search?q=xyzzy"):
        assert "<bdi>\u202egnp.exe</bdi>" in (await web.get(address)).text


@pytest.mark.parametrize(
    "path",
    [
        "/docs/../secret",
        "/docs/%2e%2e/secret.md",
        "/docs/%2e%2e%2fsecret.md",
        "/docs/%252e%252e%252fsecret.md",
        "/docs/api/%2e%2e/%2e%2e/secret",
        "/docs/..%5csecret.md",
        "/docs/a%00b",
        "/docs/%00.md",
        "/docs//etc/passwd",
        "/docs/out",
        "/docs/out.md",
        "/docs/llms.txt",
        f"/docs/{'a' * 5_000}",
    ],
)
async def test_no_path_leads_out_of_the_folder(web: httpx2.AsyncClient, path: str) -> None:
    answer = await web.get(httpx2.URL(SITE + path))

    assert answer.status_code in {400, 404}
    assert "the-secret" not in answer.text


async def test_an_unknown_page_names_the_nearest(web: httpx2.AsyncClient) -> None:
    answer = await web.get("/docs/configuratoin")

    assert answer.status_code == 404
    assert 'href="/docs/configuration"' in answer.text


async def test_llms_txt_leads_to_the_markdown_of_every_page(web: httpx2.AsyncClient) -> None:
    lines = (await web.get("/llms.txt")).text.splitlines()
    links = [line.partition("](")[2].removesuffix(")") for line in lines if line.startswith("- ")]

    assert lines[:2] == ["# Welcome", ""]
    assert lines[2].startswith("> ")
    assert "## Reference" in lines
    assert f"- [Titled]({SITE}/docs/front.md)" in lines
    assert len(links) == len(PAGES | MORE) - 1
    assert {(await web.get(link)).headers["content-type"] for link in links} == {"text/markdown; charset=utf-8"}


async def test_an_llms_txt_of_the_folder_wins_and_its_links_become_absolute(
    own: httpx2.AsyncClient, tmp_path: Path
) -> None:
    file = tmp_path / "docs" / "llms.txt"
    file.unlink()
    file.write_text(
        "# Mine\n\n- [A](api/endpoints.md#x): a\n- [B](https://b.example/b.md)\n- [C](../c.md) [D](http://[)\n"
    )

    text = (await own.get("/llms.txt")).text

    absolute = f"- [A]({SITE}/docs/api/endpoints.md#x): a\n"
    assert text == f"# Mine\n\n{absolute}- [B](https://b.example/b.md)\n- [C](../c.md) [D](http://[)\n"


async def test_llms_full_txt_has_the_text_of_every_page(web: httpx2.AsyncClient) -> None:
    text = (await web.get("/llms-full.txt")).text

    assert text.count("\nSource: ") == len(PAGES | MORE) - 1
    assert "It is kept for an hour." in text
    assert "title: Titled" not in text


async def test_llms_full_txt_ends_where_it_would_become_too_large(tmp_path: Path) -> None:
    docs = DocsService(DocsIndex(written(tmp_path / "docs"), None), most=10, snippet=200)

    parts = [part async for part in everything(docs, SITE, most=200)]

    assert len(parts) == 2
    assert f"{SITE}/llms.txt".encode() in parts[-1]


async def test_robots_may_read_the_documentation(web: httpx2.AsyncClient) -> None:
    lines = (await web.get("/robots.txt")).text.splitlines()

    assert {"Allow: /docs", "Allow: /llms.txt", "Allow: /llms-full.txt", "Disallow: /"} <= set(lines)


async def test_what_takes_long_is_charged_to_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch, rate_limit_anonymous="3/minute") as web:
        paths = ("/docs/search?q=a", "/docs/nowhere", "/llms.txt", "/docs/search?q=b", "/llms-full.txt", "/docs/index")
        answers = [await web.get(path) for path in paths]

    assert [answer.status_code for answer in answers] == [200, 404, 200, 429, 429, 200]
    assert answers[3].headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("values", [{"docs_public": False}, {"toolsets": "personas"}])
async def test_there_is_nothing_where_documentation_is_not_public_or_not_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, object]
) -> None:
    async with site(tmp_path, monkeypatch, **values) as web:
        paths = ("/docs", "/docs/index", "/docs/search?q=a", "/docs/-/search.js", "/llms.txt", "/llms-full.txt")

        assert {(await web.get(path)).status_code for path in paths} == {404}
        assert "Allow" not in (await web.get("/robots.txt")).text


async def test_a_folder_that_went_is_told_as_a_page(own: httpx2.AsyncClient, tmp_path: Path) -> None:
    (tmp_path / "docs").rename(tmp_path / "gone")

    page = await own.get("/docs")

    assert page.status_code == 503
    assert page.headers["content-type"].startswith("text/html")

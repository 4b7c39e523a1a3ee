"""The five tools, by a client, as their document has them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from mcp_server.toolsets.manifests import pages as reading
from mcp_server.toolsets.manifests.service import Manifests
from tests.loopback import Loopback, Reply, reply, serving
from tests.mcp_server.toolsets.manifests.sites import PAGES, STRIPE, client_of, manifest, stored
from tests.support import Era, failure_of, text_of

ERAS: tuple[Era, ...] = ("auto", "legacy")
both_eras = pytest.mark.parametrize("era", ERAS)
HTML = (
    b"<html><head><title>Confirm</title></head><body><nav>Menu</nav><article><h1>Confirm</h1><p>%s</p></article></body>"
)
LONG = b"Confirm the intent, and wait for the answer of the bank before anything is shipped to the customer. " * 5


async def rows(client: Client, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """The list in the text, which is the one of the structured content."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error is False, text_of(result)
    found: list[dict[str, Any]] = json.loads(text_of(result))
    assert found in (result.structured_content or {}).values()
    return found


@both_eras
@pytest.mark.requirement(
    "seed:pinax:five-tools", "seed:pinax:list-docs", "seed:pinax:list-sections", "seed:pinax:cheap"
)
async def test_what_is_mounted_and_its_sections_are_listed_with_page_counts(tmp_path: Path, era: Era) -> None:
    stored(tmp_path)
    async with client_of(tmp_path, era) as client:
        assert len((await client.list_tools()).tools) == 5
        docs = await rows(client, "list_docs")
        sections = await rows(client, "list_sections", docs="stripe")
        every = await rows(client, "list_sections")

    assert docs == [
        {"name": "react", "url": "https://react.dev", "pages": 2},
        {"name": "stripe", "url": STRIPE, "pages": 5},
    ]
    assert sections == [
        {"section": "/api", "pages": 3},
        {"section": "/", "pages": 1},
        {"section": "/payments", "pages": 1},
    ]
    assert {"section": "/learn", "pages": 1} in every


@both_eras
@pytest.mark.requirement("seed:pinax:search", "seed:pinax:search-answer", "seed:pinax:optional-docs")
async def test_a_search_answers_as_documented_in_one_manifest_and_in_all(tmp_path: Path, era: Era) -> None:
    stored(tmp_path)
    async with client_of(tmp_path, era) as client:
        one = await rows(client, "search_pages", query="payment intent confirm", limit=10, docs="stripe")
        every = await rows(client, "search_pages", query="confirm")

    assert (
        one[0].items()
        >= {
            "url": f"{STRIPE}/api/payment_intents/confirm",
            "title": "Confirm a PaymentIntent",
            "section": "/api/payment_intents",
        }.items()
    )
    assert 0 < one[0]["score"] <= 1
    assert {row["url"].split("/")[2] for row in every} == {"docs.stripe.com", "react.dev"}
    assert [row["score"] for row in every] == sorted((row["score"] for row in every), reverse=True)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("refnds", "/api/refunds"),
        ("efund", "/api/refunds"),
        ("payment_intents", "/api/payment_intents/"),
        ("chekcout", "/checkout"),
    ],
)
@pytest.mark.requirement("seed:pinax:fallback")
async def test_typing_mistakes_and_parts_of_words_still_find(tmp_path: Path, query: str, path: str) -> None:
    stored(tmp_path)
    async with client_of(tmp_path) as client:
        found = await rows(client, "search_pages", query=query)

    assert path in found[0]["url"]


@both_eras
@pytest.mark.requirement("seed:pinax:section-pages")
async def test_a_section_has_every_page_below_its_prefix(tmp_path: Path, era: Era) -> None:
    stored(tmp_path)
    async with client_of(tmp_path, era) as client:
        found = await rows(client, "get_section_pages", section="/api/payment_intents", docs="stripe")
        missing = await client.call_tool("get_section_pages", {"section": "/api/pay"})

    assert [row["url"] for row in found] == [f"{STRIPE}{path}" for path, _ in PAGES[:2]]
    assert failure_of(missing)["code"] == "not_found"


@both_eras
@pytest.mark.requirement("seed:pinax:error-contract")
async def test_failures_have_the_codes_of_the_document_and_suggest_a_name(tmp_path: Path, era: Era) -> None:
    stored(tmp_path)
    async with client_of(tmp_path, era) as client:
        unknown = failure_of(await client.call_tool("list_sections", {"docs": "striipe"}))
        invalid = failure_of(await client.call_tool("search_pages", {"query": "x" * 1_000_000}))
        missing = failure_of(await client.call_tool("search_pages", {}))
        elsewhere = failure_of(await client.call_tool("get_page", {"url": "https://evil.example/"}))

    assert unknown["code"] == "not_found"
    assert unknown["message"] == "no manifest named 'striipe' (did you mean 'stripe'?)"
    assert (invalid["code"], missing["code"], elsewhere["code"]) == ("invalid_args", "invalid_args", "not_found")


@both_eras
@pytest.mark.requirement("seed:pinax:error-codes")
async def test_a_bug_is_internal_and_a_broken_cache_is_a_cache_error(
    tmp_path: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(tmp_path)
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")

    async def broken(_self: Manifests) -> None:
        raise ZeroDivisionError("inside")

    async with client_of(tmp_path, era) as client:
        cache = failure_of(await client.call_tool("get_page", {"url": f"{STRIPE}/billing"}))
        monkeypatch.setattr(Manifests, "docs", broken)
        bug = failure_of(await client.call_tool("list_docs", {}))

    assert (cache["code"], bug["code"]) == ("cache_error", "internal")
    assert "inside" not in bug["message"]


async def page_of(folder: Path, replies: dict[str, Reply], path: str = "/a", **own: Any) -> tuple[Any, Loopback]:
    async with serving(replies) as here:
        stored(folder, manifest("local", here.origin, [(path, "A page"), ("/b", "B")]))
        async with client_of(folder, allow=here.netloc, **own) as client:
            return await client.call_tool("get_page", {"url": f"{here.origin}{path}"}), here


@pytest.mark.requirement("seed:pinax:get-page", "seed:pinax:markdown-first")
async def test_a_page_is_asked_for_as_markdown_and_html_is_reduced_to_its_text(tmp_path: Path) -> None:
    markdown, here = await page_of(
        tmp_path / "1", {"/a": reply("200 OK", b"# A\n\nText.\n", Content_Type="text/markdown")}
    )
    html, _ = await page_of(tmp_path / "2", {"/a": reply("200 OK", HTML % LONG, Content_Type="text/html")})

    assert text_of(markdown) == "# A\n\nText.\n"
    assert "Accept: text/markdown" in here.heads[0] or "accept: text/markdown" in here.heads[0]
    assert "Confirm the intent" in text_of(html)
    assert "Menu" not in text_of(html)


@pytest.mark.requirement("seed:pinax:page-cache")
async def test_a_page_comes_from_the_cache_then_is_asked_for_again_and_a_stale_one_says_so(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {"/a": reply("200 OK", b"# One", Content_Type="text/markdown", ETag='"1"')}
    async with serving(replies) as here:
        stored(tmp_path, manifest("local", here.origin, [("/a", "A")]))
        call = ("get_page", {"url": f"{here.origin}/a"})
        async with client_of(tmp_path, allow=here.netloc) as client:
            await client.call_tool(*call)
            again = await client.call_tool(*call)
            seen = len(here.heads)
        async with client_of(tmp_path, allow=here.netloc, manifests_page_seconds=0) as client:
            replies["/a"] = reply("304 Not Modified")
            unchanged = await client.call_tool(*call)
            replies["/a"] = reply("500 Oops")
            stale = await client.call_tool(*call)

    assert (seen, text_of(again), text_of(unchanged)) == (1, "# One", "# One")
    assert 'if-none-match: "1"' in here.heads[1].lower()
    assert (stale.structured_content or {})["stale"] is True
    assert text_of(stale).endswith("# One")


FAILING: dict[str, Callable[[], Reply]] = {
    "404": lambda: reply("404 Not Found"),
    "an image": lambda: reply("200 OK", b"\x89PNG", Content_Type="image/png"),
    "no text": lambda: reply("200 OK", b"<html></html>", Content_Type="text/html"),
    "a private address": lambda: reply("302 Found", Location="http://169.254.169.254/latest"),
    "a loop": lambda: reply("302 Found", Location="/a"),
}


@pytest.mark.parametrize("kind", FAILING)
async def test_a_page_that_cannot_be_had_says_why(tmp_path: Path, kind: str) -> None:
    result, _ = await page_of(tmp_path, {"/a": FAILING[kind]()})

    assert failure_of(result)["code"] == "fetch_failed"


async def test_a_redirect_to_a_site_of_no_manifest_is_not_followed_into_the_answer(tmp_path: Path) -> None:
    secret = reply("200 OK", b"secret", Content_Type="text/plain")
    async with (
        serving({"/b": secret}) as other,
        serving({"/a": reply("302 Found", Location=f"{other.origin}/b")}) as here,
    ):
        stored(tmp_path, manifest("local", here.origin, [("/a", "A")]))
        async with client_of(tmp_path, allow=f"{here.netloc},{other.netloc}") as client:
            result = await client.call_tool("get_page", {"url": f"{here.origin}/a"})

    assert failure_of(result)["code"] in {"not_found", "fetch_failed"}
    assert "secret" not in text_of(result)


async def test_a_page_without_an_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_PAGE", 1_000)
    result, _ = await page_of(tmp_path, {"/a": reply("200 OK", b"x" * 100_000, Content_Type="text/plain")})

    assert (result.structured_content or {})["cut"] is True
    assert len((result.structured_content or {})["content"]) == 1_000


async def test_manifests_are_loaded_again_without_a_restart_and_a_broken_one_is_left_out(tmp_path: Path) -> None:
    store = stored(tmp_path)
    async with client_of(tmp_path) as client:
        before = await rows(client, "list_docs")
        stored(tmp_path, manifest("vue", "https://vuejs.org", [("/guide", "Guide")]))
        (tmp_path / "manifests/bad.json").write_text("{}", encoding="utf-8")
        store.remove("react")
        after = await rows(client, "list_docs")
        found = await rows(client, "search_pages", query="guide")

    assert [row["name"] for row in before] == ["react", "stripe"]
    assert [row["name"] for row in after] == ["stripe", "vue"]
    assert found[0]["url"] == "https://vuejs.org/guide"
    assert list(store.problems()) == ["bad.json"]

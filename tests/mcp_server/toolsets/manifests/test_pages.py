"""`get_page`: the cache and its age, failures that say why, and where it does not go."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_server.toolsets.manifests.pages import MAX_BYTES, Copy, PageCache, PageReader
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.fetching import FetchFailed, Validators
from mcp_server.upstream.web import open_web
from tests.loopback import Loopback, reply, resolving, serving
from tests.mcp_server.toolsets.manifests.sites import client_of, manifest, page, written
from tests.support import Clock, failure_of, text_of

HOUR = 3600.0


def scripted(answers: dict[str, Any]) -> Callable[[Any], Any]:
    """A reply that is the newest `answers["now"]`."""

    async def say(writer: Any) -> None:
        writer.write(answers["now"])

    return say


async def read(site: Loopback, cache: PageCache, clock: Clock, path: str = "/p", ttl: float = HOUR) -> Copy:
    async with open_web(parse_hosts(site.netloc)) as web:
        return await PageReader(web, cache, ttl=ttl, clock=clock).read(site.origin + path, lambda _: True)


@pytest.fixture
def cache(tmp_path: Path) -> PageCache:
    return PageCache(tmp_path / "cache" / "pages.sqlite3")


@pytest.mark.requirement("seed:pinax:page-cache", "seed:pinax:page-ttl")
async def test_a_page_comes_from_the_cache_until_its_time_is_over_and_is_then_asked_for_on_condition(
    cache: PageCache,
) -> None:
    clock, answers = Clock(), {"now": page("one", "text/markdown", ETag='"1"', Last_Modified="Mon, 05 Jan 2026")}
    async with serving({"/p": scripted(answers)}) as site:
        first = await read(site, cache, clock)
        answers["now"] = reply("304 Not Modified", ETag='"1"')
        clock.now += HOUR - 1
        assert await read(site, cache, clock) == first
        assert len(site.heads) == 1
        clock.now += 2
        renewed = await read(site, cache, clock)
        clock.now += HOUR - 1
        again = await read(site, cache, clock)

    assert (renewed.markdown, renewed.fetched_at) == ("one", again.fetched_at)
    assert len(site.heads) == 2
    assert 'if-none-match: "1"' in site.heads[1].lower()
    assert "if-modified-since: mon, 05 jan 2026" in site.heads[1].lower()


@pytest.mark.parametrize(
    "failure", [reply("503 Service Unavailable"), reply("429 Too Many Requests"), b"", b"nonsense"]
)
async def test_when_the_site_fails_the_older_copy_comes_and_says_so(tmp_path: Path, failure: bytes) -> None:
    answers = {"now": page("one", "text/markdown")}
    async with serving({"/p": scripted(answers)}) as site:
        data = written(tmp_path, manifest("local", site.origin, [("/p", "Page")]))
        async with client_of(data, site.netloc, manifests_page_ttl=0.0001) as client:
            await client.call_tool("get_page", {"url": f"{site.origin}/p"})
            answers["now"] = failure
            result = await client.call_tool("get_page", {"url": f"{site.origin}/p#part"})

    found = result.structured_content or {}
    assert (result.is_error, found["content"], found["stale"], found["title"]) == (False, "one", True, "Page")
    assert found["ageSeconds"] >= 0
    assert text_of(result).startswith("Stale copy, 0:00:0")
    assert text_of(result).endswith("\n\none")


@pytest.mark.parametrize(
    "answer",
    [reply("404 Not Found"), reply("410 Gone"), page(b"%PDF", "application/pdf"), page(b"  ", "text/markdown")],
)
@pytest.mark.requirement("seed:pinax:fetch-failed")
async def test_without_a_page_there_is_an_error_that_says_why(tmp_path: Path, answer: bytes) -> None:
    async with serving({"/p": answer}) as site:
        data = written(tmp_path, manifest("local", site.origin, [("/p", "Page")]))
        async with client_of(data, site.netloc) as client:
            error = failure_of(await client.call_tool("get_page", {"url": f"{site.origin}/p"}))

    assert error["code"] == "fetch_failed"
    if b"404" in answer:
        assert error["message"] == "the site answered 404"


async def test_a_page_that_is_gone_is_not_answered_from_the_cache(cache: PageCache) -> None:
    clock, answers = Clock(), {"now": page("one", "text/markdown")}
    async with serving({"/p": scripted(answers)}) as site:
        await read(site, cache, clock)
        answers["now"] = reply("404 Not Found")
        clock.now += 2 * HOUR
        with pytest.raises(FetchFailed):
            await read(site, cache, clock)


async def test_only_hosts_of_manifests_are_asked_and_nothing_private_is(tmp_path: Path) -> None:
    data = written(tmp_path, manifest("local", "http://127.0.0.1:9", [("/p", "Page")]))
    async with client_of(data) as client:
        codes = [
            failure_of(await client.call_tool("get_page", {"url": url}))["code"]
            for url in (
                "https://elsewhere.example/p",
                "http://127.0.0.1:10/p",
                "http://127.0.0.1:9/p",
                "ftp://x/y",
                "p",
            )
        ]

    assert codes == ["not_found", "not_found", "fetch_failed", "invalid_args", "invalid_args"]


async def test_a_redirect_is_followed_on_the_hosts_of_manifests_and_nowhere_else(tmp_path: Path) -> None:
    async with serving({"/q": page("there", "text/markdown")}) as other:
        replies = {
            "/in": reply("302 Found", Location="/p"),
            "/p": page("here", "text/markdown"),
            "/out": reply("302 Found", Location=f"{other.origin}/q"),
            "/metadata": reply("302 Found", Location="http://169.254.169.254/latest"),
            "/loop": reply("302 Found", Location="/loop"),
        }
        async with serving(replies) as site:
            data = written(tmp_path, manifest("local", site.origin, [("/p", "Page")]))
            async with client_of(data, site.netloc, other.netloc) as client:
                inside = await client.call_tool("get_page", {"url": f"{site.origin}/in"})
                outside = [
                    failure_of(await client.call_tool("get_page", {"url": site.origin + path}))["code"]
                    for path in ("/out", "/metadata", "/loop")
                ]

    assert (inside.structured_content or {})["url"] == f"{site.origin}/p"
    assert outside == ["fetch_failed"] * 3
    assert other.heads == []


async def test_a_name_that_rebinds_to_a_private_address_is_refused(cache: PageCache) -> None:
    async with open_web(frozenset(), resolve=resolving(["93.184.216.34", "10.0.0.1"], ["10.0.0.1"])) as web:
        reader = PageReader(web, cache, ttl=HOUR)
        for _ in range(2):
            with pytest.raises(FetchFailed, match="public"):
                await reader.read("http://rebinds.example/", lambda _: True)


async def test_an_endless_page_is_cut_at_the_cap(cache: PageCache) -> None:
    sent = 0

    async def endless(writer: Any) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nConnection: close\r\n\r\n")
        while sent < 200_000_000:
            writer.write(b"word " * 20_000)
            sent += 100_000
            await writer.drain()

    async with serving({"/p": endless}) as site:
        found = await read(site, cache, Clock())

    assert found.is_cut
    assert len(found.markdown) <= MAX_BYTES
    assert sent < 50_000_000


@pytest.mark.parametrize(
    "body", ["<a>" * 300_000, "<p " + " a" * 3_000 + ">x", "<p " + "/a" * 3_000 + ">x", "<html></html>"]
)
async def test_html_that_would_hold_the_parser_or_has_no_text_is_refused(cache: PageCache, body: str) -> None:
    async with serving({"/p": page(body)}) as site:
        with pytest.raises(FetchFailed):
            await read(site, cache, Clock())


async def test_the_cache_forgets_its_oldest_pages(tmp_path: Path) -> None:
    small = PageCache(tmp_path / "pages.sqlite3", most=5_000)
    for number in range(10):
        small.put(f"u{number}", Copy("u", "x" * 500, Validators(), is_cut=False, fetched_at=float(number)))

    assert [number for number in range(10) if small.get(f"u{number}")] == [7, 8, 9]


@pytest.mark.requirement("seed:pinax:cache-error")
async def test_a_cache_that_cannot_be_used_does_not_keep_a_page_back_and_is_named_when_the_site_fails(
    tmp_path: Path,
) -> None:
    answers = {"now": page("one", "text/markdown")}
    async with serving({"/p": scripted(answers)}) as site:
        data = written(tmp_path, manifest("local", site.origin, [("/p", "Page")]))
        (data / "cache").mkdir()
        (data / "cache" / "pages.sqlite3").write_bytes(b"not a database" * 100)
        async with client_of(data, site.netloc) as client:
            good = await client.call_tool("get_page", {"url": f"{site.origin}/p"})
            answers["now"] = reply("500 Internal Server Error")
            error = failure_of(await client.call_tool("get_page", {"url": f"{site.origin}/p"}))

    assert text_of(good) == "one"
    assert error["code"] == "cache_error"

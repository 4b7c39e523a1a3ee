"""Which pages a site has: by its lists, and by a crawl; and what a hostile one can do."""

import gzip
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from protego import Protego

from mcp_server.toolsets.manifests import listing as lists
from mcp_server.toolsets.manifests.crawl import Crawl, Limits
from mcp_server.toolsets.manifests.listing import Known, Listing, list_pages, robots_of
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.client import Client
from mcp_server.upstream.fetching import FetchFailed
from mcp_server.upstream.web import open_web
from tests.loopback import Loopback, Reply, reply, serving

LLMS = b"""# Docs

## API

- [Confirm](/api/confirm.md): how
- [Other](https://elsewhere.example/x)
- [Confirm](/api/confirm.md)
"""


def xml(kind: str, *addresses: str) -> bytes:
    outer = "sitemapindex" if kind == "sitemap" else "urlset"
    inner = "".join(f"<{kind}><loc>{address}</loc></{kind}>" for address in addresses)
    return (
        f'<?xml version="1.0"?><{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{inner}</{outer}>'.encode()
    )


def page(*links: str, title: str = "A page") -> bytes:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return reply(
        "200 OK", f"<html><title>{title}</title><body>{anchors}</body></html>".encode(), Content_Type="text/html"
    )


@asynccontextmanager
async def site(replies: dict[str, Reply]) -> AsyncIterator[tuple[Client, Loopback]]:
    async with serving(replies) as here:
        web = open_web(parse_hosts(here.netloc))
        try:
            yield web, here
        finally:
            await web.aclose()


async def listed(replies: dict[str, Reply], known: Known | None = None) -> Listing | None:
    async with site(replies) as (web, here):
        found = {
            path: made.replace(b"HERE", here.origin.encode())
            for path, made in replies.items()
            if isinstance(made, bytes)
        }
        replies.update(_sized(found))
        robots = await robots_of(web, here.origin)
        return await list_pages(web, here.origin, robots, known)


def _sized(replies: dict[str, bytes]) -> dict[str, bytes]:
    """With the length of a body whose addresses have been put in."""
    return {
        path: reply("200 OK", made.partition(b"\r\n\r\n")[2]) if b" 200 " in made[:20] else made
        for path, made in replies.items()
    }


def paths(found: Listing | None) -> list[str]:
    return [] if found is None else [one.path for one in found.pages]


@pytest.mark.requirement("seed:pinax:manifest-in-memory")
async def test_the_list_for_models_comes_first_then_the_sitemap_then_nothing() -> None:
    sitemap = reply("200 OK", xml("url", "HERE/a", "HERE/b", "https://elsewhere.example/"))
    by_llms = await listed({"/llms.txt": reply("200 OK", LLMS), "/sitemap.xml": sitemap})
    by_sitemap = await listed({"/sitemap.xml": sitemap})

    assert (by_llms and by_llms.source, paths(by_llms)) == ("llms.txt", ["/api/confirm.md"])
    assert (by_sitemap and by_sitemap.source, paths(by_sitemap)) == ("sitemap", ["/a", "/b"])
    assert await listed({}) is None


async def test_indexes_of_sitemaps_are_followed_unpacked_and_named_by_robots() -> None:
    replies: dict[str, Reply] = {
        "/robots.txt": reply("200 OK", b"Sitemap: HERE/maps/index.xml\n"),
        "/maps/index.xml": reply("200 OK", xml("sitemap", "HERE/maps/one.xml.gz", "HERE/maps/index.xml")),
        "/maps/one.xml.gz": reply("200 OK", gzip.compress(xml("url", "https://no.example/"))),
    }
    assert paths(await listed(replies)) == []

    replies = {
        "/robots.txt": reply("200 OK", b"Sitemap: HERE/maps/index.xml\nSitemap: http://10.0.0.1/x.xml\n"),
        "/maps/index.xml": reply("200 OK", xml("sitemap", "HERE/maps/two.xml", "HERE/maps/index.xml")),
        "/maps/two.xml": reply("200 OK", xml("url", "HERE/deep")),
    }
    assert paths(await listed(replies)) == ["/deep"]


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize(
    "body",
    [BOMB, b"<urlset><url><loc>", b"\x1f\x8bnot gzip", gzip.compress(b"\x00" * 50_000_000), b"", b"<" * 100_000],
    ids=["entities", "cut off", "no gzip", "a gzip bomb", "nothing", "brackets"],
)
async def test_a_hostile_sitemap_has_no_pages(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LARGEST_LIST", 1_000_000)

    assert paths(await listed({"/sitemap.xml": reply("200 OK", body)})) == []


async def test_a_list_that_has_not_changed_is_not_read_again() -> None:
    replies: dict[str, Reply] = {"/llms.txt": reply("304 Not Modified")}
    async with site(replies) as (web, here):
        found = await list_pages(web, here.origin, Protego.parse(""), Known(f"{here.origin}/llms.txt", '"1"'))

    assert found is not None
    assert found.is_unchanged
    assert 'if-none-match: "1"' in here.heads[0].lower()


async def test_a_site_whose_robots_cannot_be_read_is_left_alone() -> None:
    async with site({"/robots.txt": reply("500 Oops")}) as (web, here):
        with pytest.raises(FetchFailed):
            await robots_of(web, here.origin)


async def crawled(
    replies: dict[str, Reply], folder: Path, *, robots: str = "", **limits: Any
) -> tuple[list[str], Sequence[str]]:
    async with site(replies) as (web, here):
        crawl = Crawl(web, here.origin, Protego.parse(robots), folder / "x.crawl", Limits(**limits), lambda *_: None)
        crawl._pause = 0.0
        found = await crawl.run()
        return [one.path for one in found], [head.split(" ")[1] for head in here.heads]


async def test_a_crawl_stays_on_the_site_within_its_depth_and_asks_for_nothing_that_robots_forbid(
    tmp_path: Path,
) -> None:
    replies: dict[str, Reply] = {
        "/": page("/a", "/secret", "https://elsewhere.example/", "mailto:x@y.z", "/logo.png", title="Home"),
        "/a": page("/b", "/"),
        "/b": page("/c"),
        "/c": page(),
        "/secret": page(),
    }
    found, asked = await crawled(replies, tmp_path, robots="User-agent: *\nDisallow: /secret", depth=2)

    assert found == ["/", "/a", "/b"]
    assert asked == ["/", "/a", "/b"]
    assert os.listdir(tmp_path) == []  # noqa: PTH208  in an async test


async def test_a_crawl_ends_at_its_number_of_pages(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {"/": page("/1")}
    replies.update({f"/{n}": page(*(f"/{m}" for m in range(30))) for n in range(30)})
    found, _ = await crawled(replies, tmp_path, pages=5)

    assert len(found) == 5


async def test_a_crawl_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {"/": page("/a", "/b"), "/a": page(), "/b": page()}
    async with site(replies) as (web, here):

        def stop(found: int, _waiting: int) -> None:
            if found == 2:
                raise KeyboardInterrupt

        first = Crawl(web, here.origin, Protego.parse(""), tmp_path / "x.crawl", Limits(), stop)
        first._pause = 0.0
        with pytest.raises(KeyboardInterrupt):
            await first.run()
        second = Crawl(web, here.origin, Protego.parse(""), tmp_path / "x.crawl", Limits(), lambda *_: None)
        second._pause = 0.0
        found = await second.run()

    assert [one.path for one in found] == ["/", "/a", "/b"]
    assert [head.split(" ")[1] for head in here.heads] == ["/", "/a", "/b"]

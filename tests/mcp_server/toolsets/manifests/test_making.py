"""Manifests from llms.txt, sitemaps and crawls of loopback sites, hostile ones among them."""

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest

from mcp_server.toolsets.manifests.lists import NothingFound, linked, sitemap, title_of, unpacked
from mcp_server.toolsets.manifests.making import Limits, Maker, state_file
from mcp_server.toolsets.manifests.models import Manifest
from mcp_server.upstream.addresses import parse_hosts
from mcp_server.upstream.web import open_web
from tests.loopback import Loopback, reply, serving
from tests.mcp_server.toolsets.manifests.sites import page, sitemap_of

LLMS = """# Stripe

> Payments.

## API

- [Confirm a PaymentIntent](/api/payment_intents/confirm): confirms
- [Elsewhere](https://elsewhere.example/x)
- [All of it](/llms-full.txt)

## Guides

See [Billing *basics*](/billing/basics#top) and [again](/billing/basics).
"""
FAST = Limits(delay=0, seconds=30)


def linking(*paths: str, title: str = "Page") -> bytes:
    links = "".join(f'<a href="{path}">x</a>' for path in paths)
    return page(f"<html><title>{title} | Site</title><h1>{title}</h1>{links}")


async def make(site: Loopback, folder: Path, limits: Limits = FAST, path: str = "") -> Manifest:
    async with open_web(parse_hosts(site.netloc)) as web:
        return (await Maker(web, folder, limits).make("site", site.origin + path))[0]


async def remade(site: Loopback, old: Manifest, folder: Path) -> Manifest | None:
    async with open_web(parse_hosts(site.netloc)) as web:
        made = await Maker(web, folder, FAST).remake(old)
    return None if made is None else made[0]


def paths(site: Loopback, made: Manifest) -> list[str]:
    return [one.url.removeprefix(site.origin) for one in made.pages]


async def test_an_llms_txt_is_taken_first_with_its_titles_and_headings(tmp_path: Path) -> None:
    async with serving({"/llms.txt": page(LLMS, "text/plain", ETag='"1"')}) as site:
        made = await make(site, tmp_path)

    assert [(one.url.removeprefix(site.origin), one.title, one.heading) for one in made.pages] == [
        ("/api/payment_intents/confirm", "Confirm a PaymentIntent", "API"),
        ("/billing/basics", "Billing basics", "Guides"),
    ]
    assert (made.source, made.url) == ("llms.txt", site.origin)
    assert len(site.heads) == 1


async def test_sitemaps_come_from_robots_txt_by_way_of_an_index_and_packed(tmp_path: Path) -> None:
    replies: dict[str, Any] = {"/llms.txt": page("<html>no such page</html>")}
    async with serving(replies) as site:
        replies["/robots.txt"] = page(f"Sitemap: {site.origin}/index.xml\n", "text/plain")
        replies["/index.xml"] = sitemap_of(f"{site.origin}/one.xml.gz", "two.xml", kind="sitemapindex")
        replies["/one.xml.gz"] = sitemap_of(
            f"{site.origin}/api/get_started.html", "https://other.example/x", packed=True
        )
        replies["/two.xml"] = sitemap_of(f"{site.origin}/guide/", f"{site.origin}/api/get_started.html")
        made = await make(site, tmp_path)

    assert made.source == "sitemap"
    assert paths(site, made) == ["/api/get_started.html", "/guide/"]
    assert [one.title for one in made.pages] == ["Get started", "Guide"]


async def test_only_pages_below_the_address_belong_to_the_site(tmp_path: Path) -> None:
    replies: dict[str, Any] = {}
    async with serving(replies) as site:
        inside, outside = f"{site.origin}/docs/a", f"{site.origin}/docs-old/a"
        replies["/sitemap.xml"] = sitemap_of(f"{site.origin}/blog", inside, outside, f"{inside}#part")
        made = await make(site, tmp_path, path="/docs/")

    assert paths(site, made) == ["/docs/a"]


async def test_a_sitemap_of_sitemaps_that_loops_ends(tmp_path: Path) -> None:
    replies: dict[str, Any] = {}
    async with serving(replies) as site:
        replies["/sitemap.xml"] = sitemap_of(f"{site.origin}/sitemap.xml", f"{site.origin}/b.xml", kind="sitemapindex")
        replies["/b.xml"] = sitemap_of(f"{site.origin}/sitemap.xml", kind="sitemapindex")
        with pytest.raises(NothingFound):
            await make(site, tmp_path)

    assert len([head for head in site.heads if ".xml" in head]) == 2


async def test_a_long_chain_of_sitemaps_ends_too(tmp_path: Path) -> None:
    chain = {f"/s{number}.xml": sitemap_of(f"/s{number + 1}.xml", kind="sitemapindex") for number in range(500)}
    async with serving({**chain, "/sitemap.xml": chain["/s0.xml"]}) as site:
        with pytest.raises(NothingFound):
            await make(site, tmp_path)

    assert len(site.heads) < 250


def test_a_gzip_bomb_and_xml_with_entities_are_refused() -> None:
    bomb = gzip.compress(b"\0" * 60_000_000)
    laughs = (
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
    )
    secret = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>'

    with pytest.raises(NothingFound):
        unpacked(bomb)
    with pytest.raises(NothingFound):
        unpacked(b"\x1f\x8bbroken")
    assert sitemap(laughs)[1] == [""]
    assert sitemap(secret)[1] == [""]
    for broken in (b"", b"<html/>", b"<urlset>", b"{}"):
        with pytest.raises(NothingFound):
            sitemap(broken)


def test_links_of_a_hostile_llms_txt_are_addresses_of_the_web_or_nothing() -> None:
    markdown = (
        "## H\n[a](javascript:alert(1)) [b](file:///etc/passwd) [c](http:///bad) [d](//u:p@h/x) [](/e_f) [g](ftp://h/i)"
    )

    assert [(one.url, one.title) for one in linked(markdown, "https://h/")] == [("https://h/e_f", "E f")]
    assert title_of("https://h/") == "h"


async def test_a_crawl_obeys_robots_txt_and_stays_on_the_site_within_its_depth(tmp_path: Path) -> None:
    replies = {
        "/robots.txt": page("User-agent: *\nDisallow: /private\n", "text/plain"),
        "/": linking(
            "/a", "/private/x", "https://elsewhere.example/", "/logo.png", "mailto:a@b.c", "/gone", title="Home"
        ),
        "/a": linking("/b?page=2#top", "/", "/a", title="A"),
        "/b": linking("/c", title="B"),
        "/c": linking("/d", title="C"),
        "/private/x": linking(),
    }
    async with serving(replies) as site:
        made = await make(site, tmp_path, Limits(depth=2, delay=0))

    assert [(one.url.removeprefix(site.origin), one.title) for one in made.pages] == [
        ("", "Home"),
        ("/a", "A"),
        ("/b", "B"),
    ]
    asked = [head.split(" ")[1] for head in site.heads]
    assert {"/private/x", "/logo.png", "/c"}.isdisjoint(asked)
    assert not state_file(tmp_path, "site").exists()


async def test_a_crawl_ends_at_its_number_of_pages_and_waits_as_robots_txt_says(tmp_path: Path) -> None:
    many = linking(*(f"/{number}" for number in range(50)))
    replies = {"/": many, **{f"/{number}": many for number in range(50)}}
    async with serving(replies) as site:
        few = await make(site, tmp_path, Limits(pages=7, delay=0))
    slow = {**replies, "/robots.txt": page("User-agent: *\nCrawl-delay: 3600\n", "text/plain")}
    async with serving(slow) as site:
        with pytest.raises(NothingFound):
            await make(site, tmp_path, Limits(seconds=0.2, delay=0))

    assert len(few.pages) == 7
    assert "/0" not in [head.split(" ")[1] for head in site.heads]


async def test_a_site_whose_robots_txt_fails_is_not_crawled(tmp_path: Path) -> None:
    async with serving({"/": linking(), "/robots.txt": reply("503 Service Unavailable")}) as site:
        with pytest.raises(NothingFound):
            await make(site, tmp_path)

    assert "/" not in [head.split(" ")[1] for head in site.heads]


async def test_a_crawl_that_was_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    hangs, count = asyncio.Event(), 30
    replies: dict[str, Any] = {"/": linking(*(f"/{number}" for number in range(count)))}
    replies |= {f"/{number}": linking(title=f"P{number}") for number in range(count)}
    good = replies["/12"]

    async def hang(_writer: Any) -> None:
        hangs.set()
        await asyncio.Event().wait()

    replies["/12"] = hang
    async with serving(replies) as site:
        crawling = asyncio.create_task(make(site, tmp_path))
        await asyncio.wait_for(hangs.wait(), 20)
        crawling.cancel()
        await asyncio.gather(crawling, return_exceptions=True)
        assert state_file(tmp_path, "site").exists()
        replies["/12"] = good
        made = await make(site, tmp_path)

    asked = [path for head in site.heads if (path := head.split(" ")[1]).strip("/").isdigit()]
    assert len(made.pages) == count + 1
    assert len(asked) == count + 1  # /12 twice, and nothing else
    assert not state_file(tmp_path, "site").exists()


async def test_when_nothing_lists_pages_the_reasons_are_said(tmp_path: Path) -> None:
    async with serving({"/": reply("500 Internal Server Error")}) as site:
        with pytest.raises(NothingFound, match=r"llms\.txt: the site answered 404; sitemap: .*; crawl: "):
            await make(site, tmp_path)


async def test_an_unchanged_list_is_not_read_again(tmp_path: Path) -> None:
    changed = False

    async def say(writer: Any) -> None:
        known = 'if-none-match: "1"' in site.heads[-1].lower()
        fresh = page(LLMS.replace("basics", "more"), "text/plain", ETag='"2"')
        first = page(LLMS, "text/plain", ETag='"1"')
        writer.write(fresh if changed else reply("304 Not Modified") if known else first)

    async with serving({"/llms.txt": say}) as site:
        old = await make(site, tmp_path)
        same = await remade(site, old, tmp_path)
        changed = True
        new = await remade(site, old, tmp_path)

    assert same is None
    assert new is not None
    assert "/billing/more" in paths(site, new)


async def test_a_list_without_validators_is_compared(tmp_path: Path) -> None:
    replies = {"/llms.txt": page(LLMS, "text/plain")}
    async with serving(replies) as site:
        old = await make(site, tmp_path)
        same = await remade(site, old, tmp_path)
        replies.clear()
        replies["/"] = linking("/a")  # a crawl would find this
        with pytest.raises(NothingFound):
            await remade(site, old, tmp_path)

    assert same is None

"""Which pages a site says that it has: its `llms.txt`, else its sitemaps."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types
from protego import Protego

from mcp_server.toolsets.manifests.models import MOST_PAGES, ManifestPage, title_of
from mcp_server.upstream.client import Client
from mcp_server.upstream.fetching import NOT_MODIFIED, Fetched, FetchFailed, fetch

AGENT = "minds-gateway"
LARGEST_LIST, LARGEST_ROBOTS = 20 * 1024 * 1024, 512 * 1024
LIST_SECONDS = 30.0
MOST_SITEMAPS = 50
_LINK = re.compile(r"\[([^\[\]]{1,500})\]\(\s*<?([^\s()<>]{1,2000})>?[^()]{0,500}\)")


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages of a site, and where they are listed; none where the list is as it was."""

    source: str
    url: str
    pages: tuple[ManifestPage, ...]
    etag: str | None = None
    last_modified: str | None = None
    is_unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a list already; sent along, so that the site can say that nothing has changed."""

    url: str = ""
    etag: str | None = None
    last_modified: str | None = None


async def robots_of(web: Client, url: str) -> Protego:
    """What the site allows. A site without the file allows all (RFC 9309 section 2.3.1.3).

    Raises `FetchFailed`: the site does not say, so nothing may be asked for (section 2.3.1.4).
    """
    try:
        found = await fetch(web, urljoin(url, "/robots.txt"), most=LARGEST_ROBOTS, seconds=LIST_SECONDS)
    except FetchFailed as failed:
        if failed.status is None or failed.status >= 500:  # noqa: PLR2004  RFC 9110 section 15.6
            raise
        return Protego.parse("")
    return Protego.parse(found.body.decode("utf-8", "replace"))


async def list_pages(web: Client, url: str, robots: Protego, known: Known | None = None) -> Listing | None:
    """The pages by `llms.txt`, else by sitemaps; None where the site has neither."""
    known = known or Known()
    base = url.rstrip("/") + "/"
    for place in dict.fromkeys((urljoin(base, "llms.txt"), urljoin(url, "/llms.txt"))):
        found = await _fetched(web, place, known)
        if found is not None and found.status == NOT_MODIFIED:
            return Listing("llms.txt", place, (), is_unchanged=True)
        if found is not None and not found.media_type.endswith("html"):
            pages = tuple(_linked(found, url))
            if pages:
                return Listing("llms.txt", place, pages, *_validators(found))
    places = [*robots.sitemaps, urljoin(base, "sitemap.xml"), urljoin(url, "/sitemap.xml")]
    return await _by_sitemaps(web, list(dict.fromkeys(places)), url, known)


async def _by_sitemaps(web: Client, waiting: list[str], url: str, known: Known) -> Listing | None:
    """Sitemaps and indexes of them, each read once, so that a loop ends."""
    pages: dict[str, ManifestPage] = {}
    first: tuple[str, str | None, str | None] | None = None
    seen: set[str] = set()
    while waiting and len(seen) < MOST_SITEMAPS and len(pages) < MOST_PAGES:
        place = waiting.pop(0)
        found = await _fetched(web, place, known) if place not in seen else None
        seen.add(place)
        if found is not None and found.status == NOT_MODIFIED:
            return Listing("sitemap", place, (), is_unchanged=True)
        located = list(_located(found)) if found is not None else []
        waiting += [urljoin(place, address) for kind, address in located if kind == "sitemap"]
        here = (_page(address, url) for kind, address in located if kind != "sitemap")
        pages |= {page.url: page for page in islice(filter(None, here), MOST_PAGES - len(pages))}
        if pages and first is None and found is not None:
            first = place, *_validators(found)
    return None if first is None else Listing("sitemap", first[0], tuple(pages.values()), *first[1:])


async def _fetched(web: Client, place: str, known: Known) -> Fetched | None:
    asked = {"Accept": "text/plain, text/markdown, application/xml, text/xml"}
    if place == known.url and known.etag:
        asked["If-None-Match"] = known.etag
    elif place == known.url and known.last_modified:
        asked["If-Modified-Since"] = known.last_modified
    try:
        return await fetch(web, place, most=LARGEST_LIST, seconds=LIST_SECONDS, headers=asked)
    except FetchFailed:
        return None  # one list less; a site that is away has failed at its robots.txt


def _validators(found: Fetched) -> tuple[str | None, str | None]:
    return found.headers.get("etag"), found.headers.get("last-modified")


def _linked(found: Fetched, url: str) -> Iterator[ManifestPage]:
    """The links of a Markdown list (llmstxt.org), each once."""
    seen: set[str] = set()
    for title, address in _LINK.findall(found.body.decode("utf-8", "replace")):
        page = _page(urljoin(found.url, address), url, title.strip())
        if page is not None and page.url not in seen and len(seen) < MOST_PAGES:
            seen.add(page.url)
            yield page


def _located(found: Fetched) -> Iterator[tuple[str, str]]:
    """`url` or `sitemap`, and the address, of a sitemap (sitemaps.org); nothing of what is no XML."""
    body = _unpacked(found.body)
    if b"<!ENTITY" in body[:10_000]:
        return
    reading = etree.iterparse(
        io.BytesIO(body), events=("end",), tag="{*}loc", resolve_entities=False, no_network=True, recover=True
    )
    try:
        for _, element in reading:
            parent = element.getparent()
            if parent is not None and element.text:
                yield etree.QName(parent).localname, element.text.strip()
            element.clear()
    except etree.XMLSyntaxError:
        return


def _unpacked(body: bytes) -> bytes:
    """A gzip file, as far as it is no bomb."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        with gzip.open(io.BytesIO(body)) as opened:
            return opened.read(LARGEST_LIST)
    except (OSError, EOFError, zlib.error):
        return b""


def _page(address: str, url: str, title: str = "") -> ManifestPage | None:
    """A page of the site at `url`; None where it is elsewhere."""
    address = urldefrag(address)[0]
    try:
        parts, site = urlsplit(address), urlsplit(url)
        if parts.scheme not in {"http", "https"} or parts.netloc.lower() != site.netloc.lower():
            return None
        return ManifestPage(url=address, title=(title or title_of(address))[:500])
    except ValueError:
        return None

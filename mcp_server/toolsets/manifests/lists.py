"""The pages that a site lists itself, in its llms.txt or its sitemaps. All of it is hostile until it is read."""

import asyncio
import re
import time
import zlib
from collections.abc import Iterable
from typing import Any
from urllib.parse import urldefrag, urljoin

from lxml import etree  # type: ignore[import-untyped] # lxml ships no types
from markdown_it import MarkdownIt
from protego import Protego

from mcp_server.toolsets.manifests.models import LONGEST_URL, MOST_PAGES, Page, covers, host_of, path_of
from mcp_server.upstream.fetching import Fetched, FetchFailed, Validators, fetch

AGENT = "minds-gateway"
MAX_LIST = 2 * 1024 * 1024
"""Bytes of an llms.txt or robots.txt: Markdown is parsed at about a megabyte a second."""
MAX_SITEMAP = 50 * 1024 * 1024
"""What a sitemap may have (sitemaps.org), after decompression."""
MOST_SITEMAPS = 200
SECONDS = 30.0
FIRST_SERVER_ERROR = 500

Listed = tuple[list[Page], dict[str, Validators]]
"""The pages, and of what files."""


class NothingFound(Exception):
    """Why a way to list the pages gave none, as a part of a sentence."""


class Site:
    """What is at `url` and below. `web` is the guarded client; between two requests there are `delay` seconds."""

    def __init__(self, web: Any, url: str, delay: float) -> None:
        self.url, self._web, self._delay, self._next = url, web, delay, 0.0
        self._robots: Protego | None = None

    async def get(self, url: str, max_bytes: int = MAX_LIST, **more: Any) -> Fetched:
        """As `fetch`, in its turn; redirects stay on the host."""
        await asyncio.sleep(self._next - time.monotonic())
        host = host_of(url)
        try:
            return await fetch(
                self._web, url, max_bytes=max_bytes, seconds=SECONDS, may_follow=lambda to: host_of(to) == host, **more
            )
        finally:
            self._next = time.monotonic() + self._delay

    async def robots(self) -> Protego:
        """Its rules (RFC 9309): none where there is no file, and all forbidden where the site cannot say."""
        if self._robots is None:
            try:
                text = (await self.get(urljoin(self.url, "/robots.txt"))).text
            except FetchFailed as failure:
                is_absent = failure.status is not None and failure.status < FIRST_SERVER_ERROR
                text = "" if is_absent else "User-agent: *\nDisallow: /"
            self._robots = Protego.parse(text)
            self._delay = max(self._delay, self._robots.crawl_delay(AGENT) or 0.0)
        return self._robots

    def pages(self, found: Iterable[Page]) -> list[Page]:
        """Those that are pages of this site, each once."""
        own: dict[str, Page] = {}
        for page in found:
            if covers(self.url, page.url) and len(own) < MOST_PAGES:
                own.setdefault(page.url, page)
        return list(own.values())


async def from_llms_txt(site: Site) -> Listed:
    """Raises `NothingFound`."""
    reasons = []
    for place in dict.fromkeys((f"{site.url}/llms.txt", urljoin(site.url, "/llms.txt"))):
        try:
            fetched = await site.get(place, accept="text/markdown, text/plain, */*;q=0.1")
        except FetchFailed as failure:
            reasons.append(str(failure))
            continue
        is_html = fetched.media_type == "text/html"  # what some sites answer where they have nothing
        if pages := site.pages([] if is_html else linked(fetched.text, fetched.url)):
            return pages, {place: fetched.validators}
        reasons.append("it links to no page of the site")
    raise NothingFound("; ".join(dict.fromkeys(reasons)))


def linked(markdown: str, base: str) -> list[Page]:
    """The links of an llms.txt, each with the H2 that it stands below (llmstxt.org)."""
    pages: list[Page] = []
    heading, above, target, title = "", "", "", ""
    for token in MarkdownIt("commonmark").parse(markdown):
        heading = shown(token.content) if token.type == "inline" and above == "h2" else heading
        above = token.tag if token.type == "heading_open" else ""
        for part in token.children or ():
            if part.type == "link_open":
                target, title = absolute(base, str(part.attrs.get("href", ""))), ""
            elif part.type != "link_close":
                title += part.content
            elif target and not re.search(r"/llms(-\w+)?\.txt$", target):
                pages.append(Page(url=target, title=shown(title) or title_of(target), heading=heading))
    return pages


async def from_sitemaps(site: Site) -> Listed:
    """Raises `NothingFound`."""
    waiting = [*(await site.robots()).sitemaps, f"{site.url}/sitemap.xml", urljoin(site.url, "/sitemap.xml")]
    seen, reasons = set[str](), list[str]()
    found: list[str] = []
    validators: dict[str, Validators] = {}
    while waiting and len(seen) < MOST_SITEMAPS and len(found) < MOST_PAGES:
        place = waiting.pop(0)
        if place in seen:
            continue
        seen.add(place)
        try:
            fetched = await site.get(place, MAX_SITEMAP)
            kind, places = sitemap(unpacked(fetched.body))
        except (FetchFailed, NothingFound) as failure:
            reasons.append(str(failure))
            continue
        urls = [url for one in places if (url := absolute(fetched.url, one))]
        validators[place] = fetched.validators
        if kind == "sitemapindex":
            waiting += urls[:MOST_SITEMAPS]
        else:
            found += [url for url in urls if covers(site.url, url)]
    if not found:
        raise NothingFound("; ".join(dict.fromkeys(reasons)) or "they have no page of the site")
    return site.pages(Page(url=url, title=title_of(url)) for url in found), validators


def unpacked(data: bytes) -> bytes:
    """What is in `data`, if it is packed by gzip. Raises `NothingFound`: it is broken, or unpacks to too much."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = unpacking.decompress(data, MAX_SITEMAP)
    except zlib.error:
        raise NothingFound("the gzip file is broken") from None
    if unpacking.unconsumed_tail:
        raise NothingFound(f"the gzip file unpacks to more than {MAX_SITEMAP:,} bytes")
    return plain


def sitemap(xml: bytes) -> tuple[str, list[str]]:
    """Which kind of sitemap it is, and the addresses in it. Raises `NothingFound`: it is none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml.strip(), parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        raise NothingFound("it is no XML") from None
    kind = etree.QName(root).localname
    if kind not in {"urlset", "sitemapindex"}:
        raise NothingFound("it is no sitemap")
    return kind, [(one.text or "").strip() for one in root.iterfind("{*}*/{*}loc")]


def absolute(base: str, target: str) -> str:
    """The address of the web that `target` is, without its fragment; empty where it is none."""
    try:
        url = urldefrag(urljoin(base, target.strip())).url
    except ValueError:
        return ""
    return url if host_of(url) and url.isprintable() and " " not in url and len(url) <= LONGEST_URL else ""


def title_of(url: str) -> str:
    """The last part of its path, in words."""
    last = path_of(url).rpartition("/")[2]
    words = re.sub(r"[-_+\s]+", " ", re.sub(r"\.\w{1,5}$", "", last)).strip()
    return shown(words[:1].upper() + words[1:]) or host_of(url)


def shown(text: str) -> str:
    """One line of what can be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:500]

"""Fetching over real sockets: good pages, and servers that lie, stall, flood and redirect."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2
import pytest

from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.reader import fetch_document
from mcp_server.upstream.addresses import AllowedHosts, parse_hosts
from mcp_server.upstream.web import open_web
from tests.loopback import Loopback, Reply, reply, serving

LIMIT = 200_000
PAGE = b"""<!doctype html><html><head><title>Rye bread</title></head><body><nav><a href="/">Home</a></nav>
<article><h1>Rye bread</h1><p>Rye dough is sticky, because rye has hardly any gluten to hold it together.</p>
<h2>Baking</h2><p>It is baked for an hour at two hundred degrees, and rests for a day before it is cut.</p>
</article></body></html>"""


@asynccontextmanager
async def _site(
    replies: Mapping[str, Reply], host: str = "127.0.0.1"
) -> AsyncIterator[tuple[Loopback, httpx2.AsyncClient]]:
    async with serving(replies, host=host) as here, open_web(parse_hosts(here.netloc)) as web:
        yield here, web


async def _fetch(web: httpx2.AsyncClient, url: str, deadline: float = 30) -> Document:
    return await fetch_document(web, url, max_bytes=LIMIT, deadline=deadline)


async def _refusal(replies: Mapping[str, Reply], path: str = "/", deadline: float = 30) -> str:
    async with _site(replies) as (here, web):
        with pytest.raises(SourceRefused) as refused:
            await _fetch(web, f"{here.origin}{path}", deadline)
    return refused.value.code


async def test_a_page_is_fetched_and_read() -> None:
    async with _site({"/bread?x=1": reply("200 OK", PAGE, Content_Type="text/html")}) as (here, web):
        document = await _fetch(web, f"  {here.origin}/bread?x=1\n")

    assert document.title == "Rye bread"
    assert document.source == "127.0.0.1"
    assert document.link == f"{here.origin}/bread?x=1"
    assert "hardly any gluten" in document.text
    assert "# Baking" in document.text
    assert "Home" not in document.text


async def test_the_link_is_the_address_after_redirects() -> None:
    replies = {"/old": reply("301 Moved Permanently", Location="/new"), "/new": reply("200 OK", PAGE)}

    async with _site(replies) as (here, web):
        document = await _fetch(web, f"{here.origin}/old")

    assert document.link == f"{here.origin}/new"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:///etc/passwd", "not_http"),
        ("javascript:alert(1)", "not_http"),
        ("example.com", "not_http"),
        ("http://", "bad_url"),
        ("http:///path", "bad_url"),
        ("http://[::1", "bad_url"),
        ("http://exa\nmple.com/", "bad_url"),
        (f"http://example.com/{'a' * 200_000}", "bad_url"),
        ("http://127.0.0.1:8099/", "private_address"),
        ("http://169.254.169.254/latest/", "private_address"),
        ("http://2130706433/", "bad_host"),
        ("http://ada:secret@example.com/", "credentials_in_url"),
        ("http://example.com:22/", "bad_port"),
    ],
)
async def test_a_link_that_must_not_be_fetched_is_refused(url: str, code: str) -> None:
    async with open_web(AllowedHosts()) as web:
        with pytest.raises(SourceRefused) as refused:
            await _fetch(web, url)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply("404 Not Found", PAGE), "not_found"),
        (reply("410 Gone"), "not_found"),
        (reply("403 Forbidden", PAGE), "http_status"),
        (reply("500 Internal Server Error"), "http_status"),
        (reply("302 Found"), "http_status"),
        (reply("302 Found", Location="/"), "too_many_redirects"),
        (reply("302 Found", Location="http://[::1"), "unreachable"),
        (reply("200 OK", PAGE, Content_Type="image/png"), "not_text"),
        (reply("200 OK", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), Content_Type="text/html"), "not_text"),
        (reply("200 OK", b"not a pdf", Content_Type="application/pdf"), "unreadable_pdf"),
        (reply("200 OK", b"", Content_Type="text/html"), "no_text"),
        (reply("200 OK", b"x" * (LIMIT + 1)), "too_large"),
        (reply("200 OK", gzip.compress(bytes(5_000_000)), Content_Encoding="gzip"), "too_large"),
        (reply("200 OK", gzip.compress(gzip.compress(PAGE)), Content_Encoding="gzip, gzip"), "bad_encoding"),
        (reply("200 OK", PAGE, Content_Encoding="br"), "bad_encoding"),
        (reply("200 OK", b"not packed at all", Content_Encoding="gzip"), "bad_encoding"),
        (b"not http at all\r\n\r\n", "unreachable"),
        (b"", "unreachable"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\ncut", "unreachable"),
    ],
)
async def test_a_server_that_does_not_give_a_page_is_refused(answer: bytes, code: str) -> None:
    assert await _refusal({"/": answer}) == code


async def test_an_endless_page_stops_at_the_cap() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1000\r\n" + b"a" * 4096 + b"\r\n")
            await writer.drain()

    assert await _refusal({"/": endless}) == "too_large"


async def test_a_page_that_drips_is_left_at_the_deadline() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
        await writer.drain()
        await asyncio.Event().wait()

    assert await _refusal({"/": drip}, deadline=0.3) == "timeout"

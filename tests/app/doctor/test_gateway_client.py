"""The one HTTP client, against servers whose every byte is ours."""

import asyncio
from pathlib import Path

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.gateway_client import LONGEST_DOCUMENT, gateway_client
from tests.loopback import Reply, certificate, reply, serving
from tests.processes import free_port

SECONDS = 20.0


async def read(replies: dict[str, Reply], path: str = "/", *, seconds: float = SECONDS) -> Exchange:
    async with serving(replies) as there, gateway_client(f"{there.origin}/mcp", seconds) as client:
        return await client.read(f"{there.origin}{path}")


async def test_a_redirect_on_the_same_origin_is_followed_when_reading_but_not_to_others_nor_in_a_circle() -> None:
    found = await read({"/": reply("302 Found", Location="/there"), "/there": reply("200 OK", b"{}")})
    circle = await read({"/": reply("302 Found", Location="/")})
    async with serving({"/x": reply("200 OK")}) as other:
        away = await read({"/": reply("302 Found", Location=f"{other.origin}/x")})

    assert (found.status, found.url[-6:]) == (200, "/there")
    assert (away.status, other.heads, circle.status) == (302, [], 302)


async def test_a_question_with_a_credential_is_never_led_on() -> None:
    async with (
        serving({"/": reply("307 Temporary Redirect", Location="/there"), "/there": reply("200 OK")}) as there,
        gateway_client(f"{there.origin}/mcp", SECONDS) as client,
    ):
        found = await client.request("POST", f"{there.origin}/", {"authorization": "Bearer s"}, b"{}")

    assert (found.status, len(there.heads)) == (307, 1)


async def test_a_page_is_reached_as_a_browser_reaches_it() -> None:
    replies = {
        "/ask": reply("302 Found", Location="/consent"),
        "/consent": reply("303 See Other", Location="login?next=1", Set_Cookie="way=back; HttpOnly"),
        "/login?next=1": reply("503 Service Unavailable"),
    }
    async with serving(replies) as there, gateway_client(f"{there.origin}/mcp", SECONDS) as client:
        first = await client.request("GET", f"{there.origin}/ask")
        page = await client.follow(first)
        again = await client.request("GET", f"{there.origin}/ask")

    assert (page.status, page.url) == (503, f"{there.origin}/login?next=1")
    assert ["cookie: way=back" in head.lower() for head in there.heads] == [False, False, True, False]
    assert again.status == 302


@pytest.mark.parametrize("location", ["https://elsewhere.example/", "http://[::1"])
async def test_a_way_that_leaves_the_origin_or_leads_nowhere_ends_there(location: str) -> None:
    async with (
        serving({"/": reply("302 Found", Location=location)}) as there,
        gateway_client(f"{there.origin}/mcp", SECONDS) as client,
    ):
        first = await client.request("GET", f"{there.origin}/")
        assert await client.follow(first) is first
        assert (await client.read(f"{there.origin}/")).status == 302


async def test_an_endless_body_is_cut_and_its_head_kept() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b" " * 65_536)
            await writer.drain()

    found = await read({"/": endless})

    assert (found.status, found.fault, len(found.body)) == (200, Fault.TOO_LARGE, LONGEST_DOCUMENT)


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
async def test_silence_ends_with_the_limit_for_the_whole_answer(beginning: bytes) -> None:
    async def silent(writer: asyncio.StreamWriter) -> None:
        writer.write(beginning)
        await asyncio.Event().wait()

    found = await read({"/": silent}, seconds=0.3)

    assert found.fault is Fault.SLOW
    assert found.status == (200 if beginning else None)


async def test_a_drop_now_and_then_does_not_prolong_it() -> None:
    async def drops(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    assert (await read({"/": drops}, seconds=0.5)).fault is Fault.SLOW


async def test_broken_http_and_closed_ports_are_told_apart() -> None:
    url = f"http://127.0.0.1:{free_port()}/"

    assert (await read({"/": b"nonsense\r\n\r\n"})).fault is Fault.BROKEN
    async with gateway_client(url, SECONDS) as client:
        assert (await client.request("GET", url)).fault is Fault.UNREACHABLE


async def test_a_certificate_that_nobody_vouches_for_is_a_tls_fault(tmp_path: Path) -> None:
    tls, _ = certificate("localhost", tmp_path)
    async with serving({"/": reply("200 OK")}, tls=tls) as there:
        url = f"https://{there.netloc}/"
        async with gateway_client(url, SECONDS) as client:
            found = await client.request("GET", url)

    assert (found.fault, found.reason != "") == (Fault.TLS, True)


async def test_an_address_that_a_document_should_not_name_is_not_asked() -> None:
    async with (
        serving({"/": reply("200 OK")}) as there,
        gateway_client("https://gateway.example/mcp", SECONDS) as client,
    ):
        found = await client.request("GET", f"{there.origin}/")

    assert (found.fault, there.heads) == (Fault.UNSAFE, [])

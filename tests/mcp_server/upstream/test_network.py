"""The network itself, against a server whose every byte the test decides."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx2
import pytest

from mcp_server.upstream.network import Network
from tests.edge import within
from tests.loopback import Reply, certificate, reply, serving
from tests.processes import free_port

BODY = gzip.compress(b"{}")
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n"


@pytest.fixture
async def network() -> AsyncIterator[httpx2.AsyncBaseTransport]:
    async with Network(60) as network:
        yield network


async def answered(network: httpx2.AsyncBaseTransport, url: str, **more: Any) -> httpx2.Response:
    """The whole answer; httpx2's own client decodes it."""
    client = httpx2.AsyncClient(transport=network, timeout=None, trust_env=False)
    response: httpx2.Response = await within(client.request(url=url, **{"method": "GET", **more}))
    return response


async def test_a_request_and_its_answer_travel_as_they_are(network: httpx2.AsyncBaseTransport) -> None:
    whole = reply("201 Created", BODY, Content_Encoding="gzip", X_One="a", Set_Cookie="b=c")

    async with serving({"/a%2Fb?c=%C3%A4": whole, "/on": reply("302 Found", Location="/a")}) as here:
        answer = await answered(network, f"{here.origin}/a%2Fb?c=%C3%A4", method="POST", content=b"12345")
    head = here.heads[0].lower()

    assert (answer.status_code, answer.headers["x-one"], answer.json()) == (201, "a", {})
    assert head.startswith("post /a%2fb?c=%c3%a4 http/1.1\r\n")
    assert f"\r\nhost: {here.netloc}\r\n" in head
    assert head.count("\r\ncontent-length: 5\r\n") == head.count("accept-encoding:") == 1


async def test_a_redirect_is_an_answer_and_no_cookie_is_kept(network: httpx2.AsyncBaseTransport) -> None:
    async with serving({"/on": reply("302 Found", Location="/a", Set_Cookie="b=c")}) as here:
        first, second = [await answered(network, f"{here.origin}/on") for _ in range(2)]

    assert (first.status_code, second.status_code, len(here.heads)) == (302, 302, 2)
    assert not [head for head in here.heads if "cookie" in head.lower()]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 rubbish\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000,
    ],
)
async def test_what_is_no_http_is_a_fault_of_the_protocol_that_tells_no_address(
    network: httpx2.AsyncBaseTransport, said: Reply
) -> None:
    async with serving({"/?key=secret": said}) as here:
        with pytest.raises(httpx2.RemoteProtocolError) as fault:
            await answered(network, f"{here.origin}/?key=secret")

    assert "secret" not in str(fault.value)


async def test_a_port_that_is_closed_is_a_fault_of_the_connection(network: httpx2.AsyncBaseTransport) -> None:
    with pytest.raises(httpx2.ConnectError):
        await answered(network, f"http://127.0.0.1:{free_port()}/")


async def test_an_address_that_does_not_answer_does_not_stand_before_the_next(
    network: httpx2.AsyncBaseTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving({"/": reply("200 OK")}) as here:
        kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        addresses = [(*kind, (here.host, port)) for port in (free_port(), here.port)]
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", AsyncMock(return_value=addresses))

        assert (await answered(network, "http://two.addresses.test/")).status_code == 200


async def test_a_body_comes_in_parts_that_stay_small_when_they_are_decoded(network: httpx2.AsyncBaseTransport) -> None:
    async with serving({"/": reply("200 OK", bytes(1_000_000))}) as here:
        response = await network.handle_async_request(httpx2.Request("GET", f"{here.origin}/"))
        sizes = [len(part) async for part in response.aiter_raw()]

    assert (sum(sizes), max(sizes) <= 16_384) == (1_000_000, True)


async def test_a_server_is_believed_by_its_certificate_only(tmp_path: Path) -> None:
    tls, verify = certificate("localhost", tmp_path)
    async with serving({"/": reply("200 OK")}, tls=tls) as here:
        for network, host in ((Network(60), "localhost"), (Network(60, verify), "127.0.0.1")):
            with pytest.raises(httpx2.ConnectError):
                await answered(network, f"https://{host}:{here.port}/")

        assert (await answered(Network(60, verify), f"https://localhost:{here.port}/")).status_code == 200


@pytest.mark.parametrize("when", ["before the answer", "in the middle"])
async def test_who_leaves_ends_the_connection_and_frees_its_place(
    network: httpx2.AsyncBaseTransport, when: str
) -> None:
    begun, gone = asyncio.Event(), asyncio.Event()

    async def endless(writer: asyncio.StreamWriter) -> None:
        if when == "in the middle":
            writer.write(EVENTS)
        begun.set()
        try:
            while True:
                writer.write(b"2\r\n\n\n\r\n" if when == "in the middle" else b"HTTP/1.1 100 Continue\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
                if writer.transport.is_closing():
                    break
        finally:
            gone.set()

    async with serving({"/": endless, "/next": reply("200 OK")}) as here:
        for _ in range(3):
            begun.clear()
            leaving = asyncio.create_task(answered(network, here.origin))
            await within(begun.wait())
            leaving.cancel()
            await asyncio.wait([leaving])
        assert (await answered(network, f"{here.origin}/next")).status_code == 200
        await within(gone.wait())

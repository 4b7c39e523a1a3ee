"""The guarded way out for what clients publish: public addresses, the very one that was checked, little of it, soon."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.oauth_outgoing import GuardedFetch, open_fetch
from mcp_server.upstream.addresses import AllowedHosts
from mcp_server.upstream.web import GuardedTransport, Resolve
from oauth.errors import InvalidClient
from oauth.flows.client_documents import ClientDocuments
from oauth.primitives.fetching import Fetch, Fetched, FetchFailed, FetchRefused, TooLarge
from oauth.stores.clients import ClientStore
from tests.loopback import Canary, Loopback, Reply, certificate, reply, resolving, serving
from tests.oauth.clients import NOW, SETTINGS

PUBLIC = "93.184.215.14"
PRIVATE = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"]
PRIVATE += ["169.254.169.254", "100.64.0.1", "[::ffff:10.0.0.1]", "[2002:7f00:1::]", "[64:ff9b::7f00:1]", "[fec0::1]"]


def guarded(canary: Canary, resolve: Resolve) -> GuardedFetch:
    return GuardedFetch(httpx2.AsyncClient(transport=GuardedTransport(lambda: canary, AllowedHosts(), resolve)))


async def get(fetch: Fetch, url: str, seconds: float = 20) -> Fetched:
    return await fetch(url, max_bytes=100, seconds=seconds)


@asynccontextmanager
async def serve(script: Reply) -> AsyncIterator[tuple[GuardedFetch, str, Loopback]]:
    """One answer at an allowed place."""
    async with serving({"/c": script}) as here:
        fetch = open_fetch([here.netloc])
        yield fetch, f"{here.origin}/c", here
        await fetch.aclose()


async def test_an_answer_comes_with_status_headers_and_body_and_nobody_is_named() -> None:
    async with serve(reply("200 OK", b"{}", Cache_Control="max-age=5")) as (fetch, url, here):
        fetched = await get(fetch, url)

    assert (fetched.status, fetched.body) == (200, b"{}")
    assert fetched.headers["cache-control"] == "max-age=5"
    assert "cookie" not in here.heads[0].lower()
    assert "authorization" not in here.heads[0].lower()


@pytest.mark.security("CI-01", "CI-05")
@pytest.mark.parametrize("host", PRIVATE)
async def test_a_private_client_id_opens_no_connection(host: str, engine: AsyncEngine) -> None:
    canary = Canary()
    fetch = guarded(canary, resolving([host.strip("[]")]))
    documents = ClientDocuments(fetch, SETTINGS, ClientStore(engine))

    for scheme in ("https", "http"):
        with pytest.raises(InvalidClient):
            await documents.find(f"{scheme}://{host}/client.json", NOW)

    assert canary.asked == []


@pytest.mark.security("CI-05")
@pytest.mark.parametrize(
    "addresses", [["2002:7f00:1::"], ["64:ff9b::7f00:1"], ["100.64.0.1"], ["::ffff:10.0.0.1"], [PUBLIC, "127.0.0.1"]]
)
async def test_a_name_that_leads_inside_opens_no_connection(addresses: list[str]) -> None:
    canary = Canary()

    with pytest.raises(FetchRefused):
        await get(guarded(canary, resolving(addresses)), "https://rebound.example/c")

    assert canary.asked == []


@pytest.mark.security("CI-03")
async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    canary = Canary()
    fetch = guarded(canary, resolving([PUBLIC], ["127.0.0.1"]))

    await get(fetch, "https://rebinding.example/c")
    with pytest.raises(FetchRefused):
        await get(fetch, "https://rebinding.example/c")

    assert [str(request.url) for request in canary.asked] == [f"https://{PUBLIC}/c"]


@pytest.mark.security("CI-04")
async def test_a_redirect_is_not_followed() -> None:
    async with serving({"/": reply("200 OK", b"{}")}) as other:
        async with serve(reply("302 Found", Location=f"{other.origin}/")) as (fetch, url, _):
            assert (await get(fetch, url)).status == 302
        assert other.heads == []


@pytest.mark.security("CI-06")
async def test_too_much_is_not_read() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"x" * 1_000)
            await writer.drain()

    for script in (endless, reply("200 OK", b"x" * 101)):
        async with serve(script) as (fetch, url, _):
            with pytest.raises(TooLarge):
                await get(fetch, url)
    async with serve(reply("200 OK", b"x" * 100)) as (fetch, url, _):
        assert len((await get(fetch, url)).body) == 100


@pytest.mark.security("CI-06")
async def test_an_answer_that_drips_is_given_up() -> None:
    gone = asyncio.Event()

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        await writer.drain()
        await gone.wait()

    async with serve(drip) as (fetch, url, _):
        with pytest.raises(FetchFailed):
            await get(fetch, url, seconds=0.2)
        gone.set()


@pytest.mark.security("CI-06")
async def test_a_compressed_answer_is_not_unpacked() -> None:
    for data in (b"{}", b"0" * 50_000):
        async with serve(reply("200 OK", gzip.compress(data), Content_Encoding="gzip")) as (fetch, url, here):
            with pytest.raises(FetchFailed) as refused:
                await get(fetch, url)
        assert not isinstance(refused.value, TooLarge)
        assert "accept-encoding: identity" in here.heads[0].lower()


async def test_the_body_of_an_error_is_not_read() -> None:
    async def error(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 1000000\r\n\r\n")
        await writer.drain()

    async with serve(error) as (fetch, url, _):
        assert await get(fetch, url) == Fetched(503, {"content-length": "1000000"}, b"")


@pytest.mark.parametrize("url", ["https://gone.invalid/c", "http://[::1", "https://h:x/c"])
async def test_what_does_not_answer_is_a_failure(url: str) -> None:
    async def unknown(_host: str, _port: int) -> Sequence[str]:
        raise OSError

    with pytest.raises(FetchFailed):
        await get(guarded(Canary(), unknown), url)


async def test_the_certificate_must_be_that_of_the_name(tmp_path: Path) -> None:
    server, trust = certificate("app.test", tmp_path)
    async with serving({"/c": reply("200 OK", b"{}")}, tls=server) as here:
        names = [f"app.test:{here.port}", f"other.test:{here.port}"]
        fetch = open_fetch(names, resolve=resolving(["127.0.0.1"]), verify=trust)

        assert (await get(fetch, f"https://{names[0]}/c")).status == 200
        with pytest.raises(FetchFailed):
            await get(fetch, f"https://{names[1]}/c")
        await fetch.aclose()

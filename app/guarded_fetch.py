"""Fetches clients' metadata documents and key sets for the authorization server, from public addresses only."""

import asyncio
import ssl
from collections.abc import Sequence

import httpx2

from mcp_server.upstream.addresses import AddressRefused, parse_hosts
from mcp_server.upstream.web import Resolve, open_web, resolve_host
from oauth.primitives.fetching import Fetched, FetchFailed, FetchRefused, TooLarge

# Nothing compressed: five kilobytes need no compression, and what is not unpacked cannot explode.
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}
OK = 200


class GuardedFetch:
    """The `Fetch` of `oauth.primitives.fetching`, on a client that reaches public addresses only."""

    def __init__(self, web: httpx2.AsyncClient) -> None:
        self._web = web

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        try:
            # One limit for the whole of it: a byte now and then keeps any timeout between two bytes waiting.
            async with asyncio.timeout(seconds):
                return await self._get(url, max_bytes)
        except AddressRefused as refused:
            raise FetchRefused(refused.code) from None
        except TimeoutError:
            raise FetchFailed(f"no answer within {seconds:g} seconds") from None
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise FetchFailed(type(error).__name__) from None

    async def aclose(self) -> None:
        await self._web.aclose()

    async def _get(self, url: str, max_bytes: int) -> Fetched:
        async with self._web.stream("GET", url, headers=HEADERS, follow_redirects=False) as response:
            headers = dict(response.headers)
            if response.status_code != OK:
                return Fetched(response.status_code, headers, b"")  # its body is of no use, and may have no end
            if headers.get("content-encoding", "identity") != "identity":
                raise FetchFailed("compressed without being asked")
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > max_bytes:
                    raise TooLarge(f"more than {max_bytes} bytes")
            return Fetched(response.status_code, headers, bytes(data))


def open_fetch(
    allow_hosts: Sequence[str], *, resolve: Resolve = resolve_host, verify: ssl.SSLContext | bool = True
) -> GuardedFetch:
    """A fetch with a client of its own; `allow_hosts` (`host:port`) may be private. Whoever opens it closes it."""
    return GuardedFetch(open_web(parse_hosts(",".join(allow_hosts)), resolve=resolve, verify=verify))

"""The doctor's only HTTP client. Every request has a time limit and every response a size limit.

Redirects are followed by hand: only for plain reading, on the same origin, and never with a credential or a body.
No cookie outlives the way from one request to its page, no proxy and no `.netrc` is read from the environment, and
nothing is sent twice.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from http.cookies import CookieError, SimpleCookie

import httpx2

from app.doctor import addresses
from app.doctor.exchanges import Exchange, Fault

LONGEST_DOCUMENT = 256 * 1024
LONGEST_MESSAGE = 8 * 1024 * 1024
MAX_REDIRECTS = 2
MAX_PAGE_REDIRECTS = 10
"""Redirects to a page for people: a browser takes about twenty, a sign-in that works some three."""

Enough = Callable[[bytes, str], bool]
"""Body so far and media type: whether the rest need not be awaited."""


class GatewayClient:
    """Sends to the examined gateway, and to the servers that its documents name."""

    def __init__(self, client: httpx2.AsyncClient, typed: str, seconds: float) -> None:
        self._client, self._typed, self._seconds = client, typed, seconds

    async def read(self, url: str) -> Exchange:
        """GET a public document; a redirect on the same origin is followed."""
        return await self.follow(await self.request("GET", url), MAX_REDIRECTS)

    async def follow(self, first: Exchange, most: int = MAX_PAGE_REDIRECTS) -> Exchange:
        """Where a browser ends that was given `first`, without leaving the origin; cookies go along, as it sends them.

        An answer that still leads on has led there too often.
        """
        found, cookies = first, SimpleCookie()
        for _ in range(most):
            if not (target := addresses.same_origin_target(found.url, found.location) if found.redirects else ""):
                break
            for line in found.headers.get_list("set-cookie"):
                with suppress(CookieError):
                    cookies.load(line)
            cookie = {"cookie": cookies.output([], header="", sep=";").strip()} if cookies else {}
            found = await self.request("GET", target, {"accept": "text/html, */*", **cookie})
        return found

    async def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        *,
        longest: int = LONGEST_DOCUMENT,
        enough: Enough = lambda _body, _kind: False,
    ) -> Exchange:
        """One request, one response, nothing followed. What goes wrong is in its `fault`.

        Also of a response that never ends, the head and what arrived so far are worth judging.
        """
        found = Exchange(method, url)
        if reason := addresses.unsafe(url, self._typed) if url != self._typed else "":
            return replace(found, fault=Fault.UNSAFE, reason=reason)
        try:
            async with asyncio.timeout(self._seconds):
                async with self._client.stream(method, url, headers=headers, content=content) as response:
                    found = replace(found, status=response.status_code, headers=response.headers)
                    if enough(b"", found.media_type):
                        return found
                    async for part in response.aiter_bytes():
                        is_too_large = len(found.body) + len(part) > longest
                        found = replace(found, body=(found.body + part)[:longest])
                        if is_too_large:
                            return replace(found, fault=Fault.TOO_LARGE, reason=f"over {longest} bytes")
                        if enough(found.body, found.media_type):
                            break
        except (TimeoutError, httpx2.TimeoutException):
            return replace(found, fault=Fault.SLOW, reason=f"{self._seconds:g} s passed")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as fault:
            return _failed(found, fault)
        return found


@asynccontextmanager
async def gateway_client(url: str, seconds: float) -> AsyncIterator[GatewayClient]:
    """A client for the gateway at `url`; the limit is for each request as a whole."""
    async with httpx2.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx2.Timeout(seconds),
        headers={"user-agent": "minds-gateway-doctor/1"},
    ) as client:
        yield GatewayClient(client, url, seconds)


def _failed(found: Exchange, fault: Exception) -> Exchange:
    """What a certificate is refused for says much; other texts might quote what was sent."""
    tls: BaseException | None = fault
    while tls is not None and not isinstance(tls, ssl.SSLError):
        tls = tls.__cause__ or tls.__context__
    kind = Fault.TLS if tls else Fault.UNREACHABLE if isinstance(fault, httpx2.ConnectError) else Fault.BROKEN
    reason = tls.verify_message if isinstance(tls, ssl.SSLCertVerificationError) else type(fault).__name__
    return replace(found, fault=kind, reason=reason)

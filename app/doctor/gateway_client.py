"""The doctor's only HTTP client. Every request has a time limit and every response a size limit.

Redirects are followed by hand: only for plain reading, on the same origin, and never with a credential or a body.
No cookie outlives the way from one request to its page, no proxy and no `.netrc` is read from the environment, and
nothing is sent twice.
"""

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from app.doctor import addresses
from app.doctor.exchanges import Exchange, Fault

LONGEST_DOCUMENT = 256 * 1024
LONGEST_MESSAGE = 8 * 1024 * 1024
MAX_REDIRECTS = 3
MAX_PAGE_REDIRECTS = 10
"""Redirects to a page for people: a browser takes about twenty, a sign-in that works some three."""

Enough = Callable[[bytes, str], bool]
"""Body so far and media type: whether the rest need not be awaited."""


class GatewayClient:
    """Sends to the examined gateway, and to the servers that its documents name."""

    def __init__(self, client: httpx2.AsyncClient, typed: str, seconds: float) -> None:
        self._client = client
        self._typed = typed
        self._seconds = seconds

    async def read(self, url: str) -> Exchange:
        """GET a public document; a redirect on the same origin is followed."""
        found = await self.request("GET", url)
        for _ in range(MAX_REDIRECTS - 1):
            if not (target := _target(found)):
                break
            found = await self.request("GET", target)
        return found

    async def follow(self, first: Exchange) -> Exchange:
        """Where a browser ends that was given `first`, without leaving the origin; cookies go along, as it sends them.

        An answer that still leads on has led there too often.
        """
        found, cookies = first, dict[str, str]()
        for _ in range(MAX_PAGE_REDIRECTS):
            if not (target := _target(found)):
                break
            cookies |= _cookies(found)
            cookie = {"cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}
            found = await self.request("GET", target, {"accept": "text/html", **cookie})
        return found

    async def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        *,
        longest: int = LONGEST_DOCUMENT,
        enough: Enough | None = None,
    ) -> Exchange:
        """One request, one response, nothing followed. What goes wrong is in its `fault`.

        Also of a response that never ends, the head and what arrived so far are worth judging.
        """
        found = Exchange(method, url)
        if reason := addresses.unsafe(url, self._typed) if url != self._typed else "":
            return replace(found, fault=Fault.UNSAFE, reason=reason)
        try:
            async with asyncio.timeout(self._seconds):
                async with (
                    self._client.stream(method, url, headers=headers, content=content) as response,
                    aclosing(_bodies(response)) as bodies,
                ):
                    found = replace(found, status=response.status_code, headers=_headers(response))
                    async for body in bodies:
                        found = replace(found, body=body[:longest])
                        if len(body) > longest:
                            return replace(found, fault=Fault.TOO_LARGE, reason=f"over {longest} bytes")
                        if enough is not None and enough(found.body, found.media_type):
                            break
        except (TimeoutError, httpx2.TimeoutException):
            return replace(found, fault=Fault.SLOW, reason=f"{self._seconds:g} s passed")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as fault:
            return replace(found, fault=_kind(fault), reason=_reason(fault))
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


def _target(answer: Exchange) -> str:
    return addresses.same_origin_target(answer.url, answer.header("location")) if answer.redirects else ""


def _headers(response: httpx2.Response) -> dict[str, tuple[str, ...]]:
    headers: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for name, value in response.headers.multi_items():
        headers[name.lower()] += (value,)
    return dict(headers)


async def _bodies(response: httpx2.Response) -> AsyncGenerator[bytes]:
    """The body as far as it has arrived, beginning with nothing: some need only the head."""
    body = bytearray()
    yield b""
    async for part in response.aiter_bytes():
        body += part
        yield bytes(body)


def _cookies(answer: Exchange) -> dict[str, str]:
    """Names and values only: there are too few steps for the rest (RFC 6265 section 5.2)."""
    pairs = (line.partition(";")[0].partition("=") for line in answer.headers.get("set-cookie", ()))
    return {
        name.strip(): value.strip()
        for name, _, value in pairs
        if f"{name}{value}".isascii() and f"{name}{value}".isprintable()
    }


def _kind(fault: Exception) -> Fault:
    if _tls(fault):
        return Fault.TLS
    return Fault.UNREACHABLE if isinstance(fault, httpx2.ConnectError) else Fault.BROKEN


def _tls(fault: BaseException | None) -> ssl.SSLError | None:
    """The TLS failure at the bottom of a chain of exceptions."""
    while fault is not None:
        if isinstance(fault, ssl.SSLError):
            return fault
        fault = fault.__cause__ or fault.__context__
    return None


def _reason(fault: Exception) -> str:
    """What a certificate is refused for says much; other texts might quote what was sent, so their kind must do."""
    tls = _tls(fault)
    if isinstance(tls, ssl.SSLCertVerificationError):
        return tls.verify_message
    return type(fault).__name__

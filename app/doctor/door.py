"""The one HTTP door of the doctor. Every question has a time limit and every answer a size limit.

Redirects are followed by hand: only for plain reading, on the same origin, and never with a credential or a body.
No cookie outlives the way from one request to its page, no proxy and no `.netrc` is read from the environment, and
nothing is asked twice.
"""

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from app.doctor import addresses
from app.doctor.exchanges import Exchange, Fault

LONGEST_DOCUMENT = 256 * 1024
LONGEST_MESSAGE = 8 * 1024 * 1024
MAX_REDIRECTS = 3
LONGEST_WAY = 10
"""Redirects to a page for people: a browser takes about twenty, a sign-in that works some three."""

Enough = Callable[[bytes, str], bool]
"""Body so far and media type: whether the rest need not be awaited."""


class Door:
    """Asks the examined gateway, and the servers that its documents name."""

    def __init__(self, client: httpx2.AsyncClient, typed: str, seconds: float) -> None:
        self._client = client
        self._typed = typed
        self._seconds = seconds

    async def read(self, url: str, headers: Mapping[str, str] | None = None) -> Exchange:
        """GET a public document; a redirect on the same origin is followed."""
        now = url
        for _ in range(MAX_REDIRECTS):
            found = await self.ask("GET", now, headers)
            target = _target(found)
            if not target:
                break
            now = target
        return found if now == url else replace(found, asked=url)

    async def follow(self, first: Exchange) -> Exchange:
        """Where a browser ends that was given `first`, without leaving the origin; cookies go along, as it sends them.

        An answer that still leads on has led there too often.
        """
        found, cookies = first, dict[str, str]()
        for _ in range(LONGEST_WAY):
            target = _target(found)
            if not target:
                break
            cookies |= _cookies(found)
            held = {"cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}
            found = await self.ask("GET", target, {"accept": "text/html", **held})
        return found if found is first else replace(found, asked=first.url)

    async def ask(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        *,
        longest: int = LONGEST_DOCUMENT,
        enough: Enough | None = None,
    ) -> Exchange:
        """One request, one answer, nothing followed. What goes wrong is in the answer's `fault`."""
        blank = Exchange(method, url)
        if reason := addresses.unsafe(url, self._typed) if url != self._typed else "":
            return replace(blank, fault=Fault.UNSAFE, reason=reason)
        heard = _Heard(blank)
        try:
            async with asyncio.timeout(self._seconds):
                async with self._client.stream(method, url, headers=headers, content=content) as response:
                    await heard.hear(response, longest, enough)
        except (TimeoutError, httpx2.TimeoutException):
            return replace(heard.exchange, fault=Fault.SLOW, reason=f"{self._seconds:g} s passed")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as fault:
            return replace(heard.exchange, fault=_kind(fault), reason=_reason(fault))
        return heard.exchange


class _Heard:
    """What arrived so far: also of an answer that never ends, its head is worth judging."""

    def __init__(self, blank: Exchange) -> None:
        self.exchange = blank

    async def hear(self, response: httpx2.Response, longest: int, enough: Enough | None) -> None:
        headers: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for name, value in response.headers.multi_items():
            headers[name.lower()] += (value,)
        self.exchange = replace(self.exchange, status=response.status_code, headers=dict(headers))
        body = bytearray()
        if enough is not None and enough(b"", self.exchange.media_type):
            return
        async for part in response.aiter_bytes():
            body += part
            self.exchange = replace(self.exchange, body=bytes(body[:longest]))
            if len(body) > longest:
                self.exchange = replace(self.exchange, fault=Fault.TOO_LARGE, reason=f"over {longest} bytes")
                return
            if enough is not None and enough(self.exchange.body, self.exchange.media_type):
                return


@asynccontextmanager
async def open_door(url: str, seconds: float) -> AsyncIterator[Door]:
    """A door to `url`; the limit is for each question as a whole."""
    async with httpx2.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx2.Timeout(seconds),
        headers={"user-agent": "minds-gateway-doctor/1"},
    ) as client:
        yield Door(client, url, seconds)


def _target(answer: Exchange) -> str:
    return addresses.same_origin_target(answer.url, answer.location) if answer.redirects else ""


def _cookies(answer: Exchange) -> dict[str, str]:
    """Names and values only: the way is too short for the rest (RFC 6265 section 5.2)."""
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

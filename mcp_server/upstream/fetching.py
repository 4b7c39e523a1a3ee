"""GET what a stranger publishes: bounded in time and bytes, and each redirect is judged before it is followed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from mcp_server.upstream.addresses import AddressRefused
from mcp_server.upstream.web import MAX_REDIRECTS

ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Validators:
    """What a site said of a version, to ask whether it is still that one (RFC 9110, 8.8)."""

    etag: str | None = None
    last_modified: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        given = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `url` is where it was in the end; a 304 is not modified, and has no body.

    What `is_cut` had more bytes than allowed: here are the first of them.
    """

    url: str
    media_type: str
    charset: str
    body: bytes
    validators: Validators
    is_modified: bool = True
    is_cut: bool = False

    @property
    def text(self) -> str:
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")


class FetchFailed(Exception):
    """Why there is nothing, as a part of a sentence. `status` is what the site answered, where it did."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class RedirectRefused(FetchFailed): ...


async def fetch(
    web: httpx2.AsyncClient,
    url: str,
    *,
    max_bytes: int,
    seconds: float,
    may_follow: Callable[[str], bool],
    accept: str = "*/*",
    validators: Validators | None = None,
) -> Fetched:
    """The document at `url`, its first `max_bytes` after decompression at most. `web` is the guarded client.

    Raises `FetchFailed`: it was not to be had; `RedirectRefused`: it is where `may_follow` says not to go.
    """
    headers = {"Accept": accept, "Accept-Encoding": "gzip, deflate", **(validators or Validators()).headers}
    try:
        async with asyncio.timeout(seconds):
            for _ in range(MAX_REDIRECTS + 1):
                answer = await _get(web, url, headers, max_bytes)
                if isinstance(answer, Fetched):
                    return answer
                if not may_follow(str(answer)):
                    raise RedirectRefused("the site redirects to another one, which is not asked")
                url = str(answer)
    except AddressRefused as refused:
        raise FetchFailed(str(refused).rstrip(".")) from None
    except (TimeoutError, httpx2.TimeoutException):
        raise FetchFailed(f"the site did not answer within {seconds:g} seconds") from None
    except (httpx2.RequestError, httpx2.InvalidURL):
        raise FetchFailed("the site cannot be reached, or breaks off") from None
    raise FetchFailed("the site redirects too often")


async def _get(web: httpx2.AsyncClient, url: str, headers: dict[str, str], max_bytes: int) -> Fetched | httpx2.URL:
    """The answer, or where it redirects to."""
    async with web.stream("GET", url, headers=headers, follow_redirects=False) as response:
        if response.next_request is not None:
            return response.next_request.url
        if not response.is_success and response.status_code != NOT_MODIFIED:
            raise FetchFailed(f"the site answered {response.status_code}", response.status_code)
        # Each further layer multiplies what a few bytes can unpack to, before a byte comes out that could be counted.
        if response.headers.get("Content-Encoding", "").strip().lower() not in ENCODINGS:
            raise FetchFailed("the site compresses in a way that was not asked for")
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > max_bytes:
                break
        return Fetched(
            str(response.url),
            response.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
            response.charset_encoding or "utf-8",
            bytes(data[:max_bytes]),
            Validators(response.headers.get("ETag"), response.headers.get("Last-Modified")),
            is_modified=response.status_code != NOT_MODIFIED,
            is_cut=len(data) > max_bytes,
        )

"""One page of the open web, whole, within bounds of size and time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from mcp_server.upstream.addresses import AddressRefused

OK, NOT_MODIFIED, TOO_MANY, UNAVAILABLE = 200, 304, 429, 503


class FetchFailed(Exception):
    """There is no page. `reason` says why in words that may be shown; `status` is the answer's, where there was one."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with status 200 or 304. `url` is where it came from in the end; `is_cut`: the body goes on."""

    url: str
    status: int
    body: bytes
    is_cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


async def fetch(
    web: httpx2.AsyncClient, url: str, *, most: int, seconds: float, headers: Mapping[str, str] | None = None
) -> Fetched:
    """GET `url` and at most `most` bytes of its body.

    Raises `FetchFailed`: another status, no answer in time, or none at all.
    """
    try:
        async with asyncio.timeout(seconds), web.stream("GET", url, headers=dict(headers or {})) as response:
            if response.status_code not in {OK, NOT_MODIFIED}:
                raise FetchFailed(f"the site answered {response.status_code}", response.status_code)
            body = bytearray()
            async for part in response.aiter_bytes():  # unpacked piece by piece, so that what explodes is cut
                body += part
                if len(body) > most:
                    break
            found = {name.lower(): value for name, value in response.headers.items()}
            return Fetched(str(response.url), response.status_code, bytes(body[:most]), len(body) > most, found)
    except TimeoutError:
        raise FetchFailed(f"the site gave no whole answer within {seconds:g} seconds") from None
    except AddressRefused as refused:
        raise FetchFailed(str(refused)) from None
    except httpx2.TooManyRedirects:
        raise FetchFailed("the site redirects too often") from None
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        raise FetchFailed(f"the site cannot be reached ({type(error).__name__})") from None

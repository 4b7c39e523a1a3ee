"""What this package asks of the guarded HTTP client for addresses that strangers name. The edge owns that client.

A metadata document or a key set may live anywhere, so whoever fetches it can be sent into our own network
(SSRF). This package therefore holds no HTTP client for it; it is handed a `Fetch`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from oauth.errors import OauthError


class FetchRefused(OauthError):
    """The address is one that is never asked: private, or spelled deviously. Trying again changes nothing."""


class FetchFailed(OauthError):
    """No whole answer came within the limits."""


class TooLarge(FetchFailed):
    """There was more of it than is read."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer of whatever status. `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Fetch(Protocol):
    """Reaches public addresses only, connects to the very address that it checked, follows no redirect."""

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        """The answer to a GET without any credential.

        Raises `FetchRefused`: the address may not be asked; `TooLarge`: the body is larger than `max_bytes`, as sent or
        unpacked; `FetchFailed`: there was no whole answer within `seconds`.
        """

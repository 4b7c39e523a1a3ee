"""Words from outside as parts of a path that they cannot leave."""

import re
from functools import lru_cache
from urllib.parse import quote

import httpx2

from mcp_server.errors import InvalidArguments

_DOTS = re.compile(r"\.+")


def quote_path(segments: tuple[str, ...]) -> str:
    """The segments as one path that cannot leave its place: each is quoted, and none may be empty or only dots.

    Raises:
        InvalidArguments: a segment could not be an id.

    """
    for segment in segments:
        if not segment or _DOTS.fullmatch(segment) or any(ord(character) < 0x20 for character in segment):  # noqa: PLR2004  the control characters
            raise InvalidArguments("that is not an id; use one that a listing returned")
    return "/".join(quote(segment, safe="") for segment in segments)


@lru_cache(1_000)
def address(url: str, params: tuple[tuple[str, str | int], ...]) -> httpx2.URL:
    """`url` with `params`, parsed once: taking it apart costs more than all that stands before the call."""
    return httpx2.URL(url, params=dict(params)) if params else httpx2.URL(url)

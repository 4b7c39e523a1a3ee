"""Words from outside as parts of a path that they cannot leave."""

import re
from urllib.parse import quote

from mcp_server.errors import InvalidArguments

_DOTS = re.compile(r"\.+")


def contained(segments: tuple[str, ...]) -> str:
    """The segments as one path that cannot leave its place: each is quoted, and none may be empty or only dots.

    Raises:
        InvalidArguments: a segment could not be an id.

    """
    for segment in segments:
        if not segment or _DOTS.fullmatch(segment) or any(ord(character) < 0x20 for character in segment):  # noqa: PLR2004  the control characters
            raise InvalidArguments("that is not an id; use one that a listing returned")
    return "/".join(quote(segment, safe="") for segment in segments)

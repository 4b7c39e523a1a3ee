"""One HTTP request and what came of it, as plain data: JSON, JSON-RPC and challenges are read here, never trusted."""

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl
from urllib.request import parse_http_list

import httpx2

EVENT_STREAM = "text/event-stream"
LONGEST_CHALLENGE = 8192  # characters of a WWW-Authenticate header that are read
LONGEST_QUOTE = 160  # characters of a server's words that are repeated


class Fault(StrEnum):
    """Why there is no whole response."""

    UNREACHABLE = "no connection"
    TLS = "TLS"
    SLOW = "no whole answer in time"
    TOO_LARGE = "answer too large"
    BROKEN = "broken HTTP"
    UNSAFE = "address not asked"


@dataclass(frozen=True)
class Exchange:
    """`status` is None when not even a head arrived. What was sent is kept as method and address only.

    The body is not in the representation: it may hold a token.
    """

    method: str
    url: str
    status: int | None = None
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)
    body: bytes = field(default=b"", repr=False)
    fault: Fault | None = None
    reason: str = ""

    def header(self, name: str) -> str:
        """The header's value; several are joined as RFC 9110 section 5.3 says."""
        return str(self.headers.get(name, ""))

    def header_list(self, name: str) -> set[str]:
        """The members of a comma-separated header, in lower case."""
        return {member.strip().lower() for member in self.header(name).split(",")}

    @property
    def media_type(self) -> str:
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def outcome(self) -> object:
        return self.fault or self.status

    @property
    def summary(self) -> str:
        """What came of the request, with the error that the body names: JSON-RPC's code, or OAuth's word."""
        if self.fault is not None:
            return f"{self.fault} ({self.reason})"
        error = (self.rpc_response or {}).get("error")
        code = error.get("code") if isinstance(error, dict) else error
        named = f", error {quoted(code)}" if isinstance(code, int | str) else ""
        return f"status {self.status}, {self.media_type or 'no content type'}{named}"

    @property
    def location(self) -> str:
        return self.header("location")

    @property
    def page(self) -> str:
        """The address without the query, which may hold a secret."""
        return self.url.partition("?")[0]

    @property
    def redirect_parameters(self) -> dict[str, str]:
        query = self.location.partition("#")[0].partition("?")[2]
        return dict(parse_qsl(query)) if self.redirects else {}

    @property
    def is_refused(self) -> bool:
        """Whether an authorization request was."""
        return self.is_error or bool(self.redirect_parameters.get("error"))

    @property
    def is_broken(self) -> bool:
        return self.fault is not None or (self.status or 0) >= HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def is_error(self) -> bool:
        return (self.status or 0) >= HTTPStatus.BAD_REQUEST

    @property
    def speaks_mcp(self) -> bool:
        """Whether an MCP endpoint answered: with a result, or by asking for a credential."""
        return self.status == HTTPStatus.UNAUTHORIZED or (self.fault is None and self.rpc_result is not None)

    @property
    def redirects(self) -> bool:
        is_3xx = HTTPStatus.MULTIPLE_CHOICES <= (self.status or 0) < HTTPStatus.BAD_REQUEST
        return is_3xx and bool(self.location)

    @cached_property
    def json(self) -> Any:
        """The body read as JSON; None for anything else."""
        return _json(self.body)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of a successful, whole response; empty for anything else."""
        is_whole = self.status in {HTTPStatus.OK, HTTPStatus.CREATED} and self.fault is None
        return self.json if is_whole and isinstance(self.json, dict) else {}

    def text(self, name: str) -> str:
        """A member of the document; one of another type counts as absent."""
        value = self.document.get(name)
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.document.get(name)
        return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()

    @property
    def error(self) -> str:
        """The `error` member of an OAuth error (RFC 6749 section 5.2)."""
        error = self.json.get("error") if isinstance(self.json, dict) else None
        return error if isinstance(error, str) else ""

    @property
    def bearer_challenge(self) -> dict[str, str]:
        """The parameters of the Bearer challenge, names in lower case; the first of a name counts."""
        scheme, found = "", dict[str, str]()
        # Commas separate challenges and parameters alike (RFC 9110 section 11.6.1).
        for part in parse_http_list(self.header("www-authenticate")[:LONGEST_CHALLENGE]):
            word, _, rest = part.strip().partition(" ")
            if "=" not in word:
                scheme, part = word.lower(), rest  # noqa: PLW2901  the first parameter follows its scheme
            name, equals, value = (side.strip() for side in part.partition("="))
            if scheme == "bearer" and equals:
                found.setdefault(name.lower(), value[1:-1] if value.startswith('"') else value)
        return found

    @cached_property
    def rpc_response(self) -> dict[str, Any] | None:
        return rpc_response(self.body, self.media_type)

    @property
    def rpc_result(self) -> dict[str, Any] | None:
        result = (self.rpc_response or {}).get("result")
        return result if isinstance(result, dict) else None


def quoted(value: object) -> str:
    """A server's words, short and on one line, without anything that a terminal would obey."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return f"`{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}`"


def rpc_response(body: bytes, media_type: str) -> dict[str, Any] | None:
    """The first message of `body` with a result or an error; an event stream may hold notifications before it."""
    messages = [body]
    if media_type == EVENT_STREAM:  # what follows the last blank line has not ended yet
        events = body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
        messages = [b"\n".join(re.findall(rb"^data:(.*)$", event, re.MULTILINE)) for event in events]
    return next(
        (one for one in map(_json, messages) if isinstance(one, dict) and {"result", "error"} & one.keys()), None
    )


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

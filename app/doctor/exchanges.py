"""One HTTP request and what came of it, as plain data: JSON, JSON-RPC and challenges are read here, never trusted."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from http import HTTPStatus
from typing import Any

EVENT_STREAM = "text/event-stream"
LONGEST_CHALLENGE = 8192
"""Characters of a WWW-Authenticate header that are read."""

_CHALLENGE_PART = re.compile(
    r"""\s*(?:,\s*)*(?:
        (?P<name>[!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s,"]+))
        |(?P<scheme>[!#$%&'*+.^_`|~\w-]+)
    )""",
    re.VERBOSE,
)
"""Commas separate challenges and parameters alike (RFC 9110 section 11.6.1)."""


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
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    fault: Fault | None = None
    reason: str = ""

    def header(self, name: str) -> str:
        """The header's value; several are joined as RFC 9110 section 5.3 says."""
        return ", ".join(self.headers.get(name.lower(), ()))

    def header_list(self, name: str) -> set[str]:
        """The members of a comma-separated header, in lower case."""
        return {member.strip().lower() for member in self.header(name).split(",")}

    @property
    def media_type(self) -> str:
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def failure(self) -> str:
        return f"{self.fault} ({self.reason})"

    @property
    def is_server_error(self) -> bool:
        return (self.status or 0) >= HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def is_error(self) -> bool:
        return (self.status or 0) >= HTTPStatus.BAD_REQUEST

    @property
    def redirects(self) -> bool:
        is_3xx = HTTPStatus.MULTIPLE_CHOICES <= (self.status or 0) < HTTPStatus.BAD_REQUEST
        return is_3xx and bool(self.header("location"))

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
        for part in _CHALLENGE_PART.finditer(self.header("www-authenticate")[:LONGEST_CHALLENGE]):
            if part["scheme"]:
                scheme = part["scheme"].lower()
            elif scheme == "bearer":
                value = part["bare"] if part["quoted"] is None else re.sub(r"\\(.)", r"\1", part["quoted"])
                found.setdefault(part["name"].lower(), value)
        return found

    @cached_property
    def rpc_response(self) -> dict[str, Any] | None:
        """The JSON-RPC response; an event stream may hold notifications before it."""
        return rpc_response(self.body, self.media_type)

    @property
    def rpc_result(self) -> dict[str, Any] | None:
        result = (self.rpc_response or {}).get("result")
        return result if isinstance(result, dict) else None

    @property
    def rpc_error_code(self) -> int | None:
        error = (self.rpc_response or {}).get("error")
        code = error.get("code") if isinstance(error, dict) else None
        return code if isinstance(code, int) else None


def rpc_response(body: bytes, media_type: str) -> dict[str, Any] | None:
    """The first message of `body` with a result or an error; None while, or because, there is none."""
    found = map(_json, _events(body) if media_type == EVENT_STREAM else [body])
    return next((one for one in found if isinstance(one, dict) and {"result", "error"} & one.keys()), None)


def _events(body: bytes) -> list[bytes]:
    """The data of the complete events: what follows the last blank line has not ended yet."""
    whole = body.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
    lines = ([line for line in event.split(b"\n") if line.startswith(b"data:")] for event in whole)
    return [b"\n".join(line.removeprefix(b"data:").strip() for line in event) for event in lines if event]


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

"""One question over HTTP and what came of it, as plain data that the judges read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

OK, CREATED, MULTIPLE_CHOICES, BAD_REQUEST, SERVER_ERROR = 200, 201, 300, 400, 500


class Fault(StrEnum):
    """Why there is no whole answer."""

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
    asked: str = ""
    """The address that was asked first, when a redirect on the same host led to `url`."""

    def header(self, name: str) -> str:
        """The header's value; several are joined as RFC 9110 section 5.3 says."""
        return ", ".join(self.headers.get(name.lower(), ()))

    @property
    def media_type(self) -> str:
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def answered(self) -> bool:
        """A whole answer arrived."""
        return self.status is not None and self.fault is None

    @property
    def redirects(self) -> bool:
        return self.status is not None and MULTIPLE_CHOICES <= self.status < BAD_REQUEST and bool(self.location)

    @property
    def location(self) -> str:
        return self.header("location")

    @cached_property
    def json(self) -> Any:
        """The body read as JSON; None for anything else."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def document(self) -> dict[str, Any] | None:
        """A JSON object in a successful answer; what else came is no document."""
        if not self.answered or self.status not in {OK, CREATED} or not isinstance(self.json, dict):
            return None
        return self.json

    @property
    def error(self) -> str:
        """The `error` member of an OAuth error (RFC 6749 section 5.2)."""
        told = self.json.get("error") if isinstance(self.json, dict) else None
        return told if isinstance(told, str) else ""

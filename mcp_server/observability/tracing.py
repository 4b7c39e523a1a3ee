"""Where a request stands in its trace (W3C Trace Context), and the interface of what records spans.

A caller's `traceparent` is taken over and passed on to the internal API, whether spans are exported or not; a caller
without one gets a trace of its own. `baggage` is neither read nor passed on: it may hold anything.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple, Protocol

LONGEST_STATE = 512
"""Characters of `tracestate`, which a participant should pass on (W3C Trace Context section 3.3.1.5)."""

_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{0,64})?")
_MEMBER = re.compile(r"[a-z0-9][a-z0-9_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]")
_MOST_MEMBERS = 32
_INVALID_VERSION, _FIRST_VERSION = "ff", "00"
_SAMPLED = 0x01


class Trace(NamedTuple):
    """A place in a trace: in lower-case hexadecimal digits, as it travels.

    `is_asked` where somebody asked for it: a caller with a trace, or an operator who collects them.
    """

    trace_id: str
    span_id: str
    sampled: bool = False
    state: str = ""
    is_asked: bool = True

    @property
    def headers(self) -> dict[str, str]:
        """What tells the next process of it."""
        parent = f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"
        return {"traceparent": parent, "tracestate": self.state} if self.state else {"traceparent": parent}


Attributes = Mapping[str, str | int | float | bool]
Kind = Literal["server", "client"]


class Span(Protocol):
    """Work that is being measured, until `end` is called."""

    @property
    def trace(self) -> Trace:
        """Where it is: the parent of what happens in it."""

    def put(self, name: str, value: str | float) -> None:
        """Say something about it."""

    def fail(self, kind: str) -> None:
        """It went wrong: `kind` is a stable word, never a sentence."""

    def end(self) -> None:
        """It is over."""


class Tracer(Protocol):
    """Makes spans. Where nobody exports them there is no tracer."""

    def start(
        self, name: str, kind: Kind, attributes: Attributes, parent: Trace | None, links: Sequence[Trace] = ()
    ) -> Span:
        """A span that begins now."""

    def close(self) -> None:
        """Send what is left. It waits for the network: not for the event loop."""
        ...


current_trace: ContextVar[Trace | None] = ContextVar("current_trace", default=None)
"""Set at the edge for each request; read where a call of the internal API leaves."""

current_request: ContextVar[str | None] = ContextVar("current_request", default=None)
"""The request's id, as the log and the answer have it."""


def begin() -> Trace:
    """A trace of its own, which nobody has asked to keep."""
    chance = secrets.token_hex(24)
    return Trace(chance[:32], chance[32:], is_asked=False)


def read(parent: Any, state: Any = "") -> Trace | None:
    """The trace of a caller; None where `parent` is not a valid `traceparent` (W3C Trace Context section 3.2).

    A `tracestate` that is not valid is dropped, and the rest stands.
    """
    if not isinstance(parent, str) or (found := _PARENT.fullmatch(parent)) is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    is_malformed = version == _INVALID_VERSION or (version == _FIRST_VERSION and more is not None)
    if is_malformed or not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return Trace(trace_id, span_id, sampled=bool(int(flags, 16) & _SAMPLED), state=_state(state))


def read_meta(meta: Any) -> Trace | None:
    """The trace of a message that names its own in `_meta` (MCP 2026-07-28, the unprefixed keys)."""
    if not isinstance(meta, Mapping) or "traceparent" not in meta:
        return None
    return read(meta["traceparent"], meta.get("tracestate", ""))


def _state(text: Any) -> str:
    if not isinstance(text, str) or len(text) > LONGEST_STATE:
        return ""
    members = [member for part in text.split(",") if (member := part.strip(" \t"))]
    is_distinct = len({member.partition("=")[0] for member in members}) == len(members) <= _MOST_MEMBERS
    return ",".join(members) if is_distinct and all(map(_MEMBER.fullmatch, members)) else ""

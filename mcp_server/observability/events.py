"""Events of one call, for logs, metrics and the audit trail."""

import hashlib
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple

import orjson

Outcome = Literal["success", "failure", "refused", "error", "cancelled"]


class ToolCalled(NamedTuple):
    """One finished call. Arguments are present only as a digest: they may hold anything.

    Attributes:
        outcome: `failure` was the model's to avoid, `refused` was not, `error` is a bug.
        code: the stable word of a failure or refusal; `CLIENT_DEADLINE` where the client's own time was up.
        seconds: from the arguments' validation to the result.
        arguments_summary: names, kinds and sizes.
        request_id: of the HTTP request, with the address that it came from.

    """

    tool: str
    outcome: Outcome
    code: str | None
    seconds: float
    subject: str | None
    client_id: str | None
    protocol_version: str
    arguments_digest: str
    arguments_summary: str | None = None
    request_id: str | None = None
    address: str | None = None


Record = Callable[[ToolCalled], None]


def digest(arguments: Mapping[str, Any] | None) -> str:
    """Sixteen hex digits that tell two calls with the same arguments from two others. Takes anything."""
    try:
        canonical = orjson.dumps(arguments or {}, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits, which the protocol library reads; half of a surrogate pair
        canonical = repr(arguments).encode("utf-8", "surrogatepass")
    return hashlib.sha256(canonical).hexdigest()[:16]


MAX_FIELDS, MAX_NAME = 12, 40  # of a summary: arguments, and characters of a name


def summary_of(arguments: Mapping[str, Any] | None) -> str | None:
    """What arguments were like: names, kinds and sizes. Values may hold anything, and are not told.

    `{"name": "Ada", "limit": 5}` is `name=text:3 limit=number`; None where there are no arguments.
    """
    if not arguments:
        return None
    shown = [f"{str(name)[:MAX_NAME]}={_kind(value)}" for name, value in islice(arguments.items(), MAX_FIELDS)]
    if len(arguments) > MAX_FIELDS:
        shown.append(f"and {len(arguments) - MAX_FIELDS} more")
    return " ".join(shown)


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return f"text:{len(value)}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "number"
    return f"{'object' if isinstance(value, Mapping) else 'list'}:{len(value)}"

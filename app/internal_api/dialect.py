"""Two vocabularies of one contract: `minds` of today and `sparks` of before, apart only in some names."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

TODAY_TO_BEFORE: Mapping[str, str] = {
    "mind": "spark",
    "minds": "sparks",
    "mindId": "sparkId",
    "mindIds": "sparkIds",
    "mindName": "sparkName",
    "mindCount": "sparkCount",
    "training": "processing",
}


class Dialect(Enum):
    """The value is the name of the persona collection in paths."""

    MINDS = "minds"
    SPARKS = "sparks"

    def path(self, template: str) -> str:
        """The path that this dialect has for a path written in today's words."""
        if self is Dialect.MINDS:
            return template
        return template.replace("/minds", "/sparks").replace("{mindId}", "{sparkId}")


def spoken(path: str) -> Dialect:
    """The dialect of a request, by its path."""
    return Dialect.SPARKS if f"{path}/".find("/sparks/") >= 0 else Dialect.MINDS


def to_wire(dialect: Dialect, body: Any) -> Any:
    """`body`, which is written in today's names, in the names of `dialect`."""
    if dialect is Dialect.MINDS:
        return body
    renamed = rename(body, TODAY_TO_BEFORE)
    if isinstance(renamed, dict) and isinstance(renamed.get("processing"), dict):
        # What was a status was then the mere fact of being queued; saying both serves clients of both times.
        processing = renamed["processing"]
        renamed["processing"] = {"queued": processing.get("status") in {"queued", "running"}, **processing}
    return renamed


def rename(body: Any, names: Mapping[str, str]) -> Any:
    """A copy of `body` with every key renamed that `names` holds, at any depth."""
    if isinstance(body, Mapping):
        return {names.get(key, key): rename(value, names) for key, value in body.items()}
    if isinstance(body, list | tuple):
        return [rename(value, names) for value in body]
    return body

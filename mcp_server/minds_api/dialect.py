"""Two vocabularies of the internal API, apart only in names: everything inside the gateway speaks today's (pure).

Only keys and the first word of a path are renamed, never what people wrote. Answers are read tolerantly in both
dialects, because the renaming upstream left slips behind: mirrors under the old names, old names in events, and
metadata as text.
"""

import tomllib
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import orjson


class Dialect(Enum):
    """Which words the internal API uses: minds, audiences and studies, or sparks, groups and panels."""

    CURRENT = "current"
    SPARKS = "sparks"


_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
COLLECTIONS: Mapping[str, str] = _WORDS["collections"]
"""The first segment of a path, today and before."""

TODAY_TO_BEFORE: Mapping[str, str] = _WORDS["keys"]
BEFORE_TO_TODAY: Mapping[str, str] = {before: today for today, before in TODAY_TO_BEFORE.items()}

OPAQUE = frozenset({"byAudience", "parsed", "schema"})
"""Below these keys, in today's words, the keys are what people wrote: names of groups, fields of a schema."""

DEEPEST = 64  # levels that are read. The contract needs ten; what lies deeper is left as it is.

EVENT_NAMES: Mapping[str, str] = _WORDS["events"]
"""What older answer events called things; elsewhere these words have a meaning of their own."""

MARKS = tuple(map(str.encode, _WORDS["marks"]))
"""One of these stands in every answer of today's dialect that `from_wire` could change. Most have none."""


def path(dialect: Dialect, segments: Sequence[str]) -> tuple[str, ...]:
    """The segments of a path, written in today's words, as `dialect` has them. Ids are not touched."""
    if dialect is Dialect.CURRENT or segments[0] not in COLLECTIONS:
        return tuple(segments)
    return (COLLECTIONS[segments[0]], *segments[1:])


def to_wire(dialect: Dialect, body: Any) -> Any:
    """`body`, written in today's names, in the names of `dialect`."""
    if dialect is Dialect.CURRENT:
        return body
    renamed = _renamed(body, TODAY_TO_BEFORE, DEEPEST)
    return _moved(renamed, {"training": "processing"}) if isinstance(renamed, dict) else renamed


def from_wire(dialect: Dialect, body: Any) -> Any:
    """`body`, as an upstream of `dialect` sent it, in today's names. Where both names are there, today's counts."""
    renamed = _renamed(body, BEFORE_TO_TODAY, DEEPEST)
    if not isinstance(renamed, dict):
        return renamed
    if renamed.get("type") == "answer":
        renamed = _moved(renamed, EVENT_NAMES)
    return _with_training(renamed) if dialect is Dialect.SPARKS else renamed


def _renamed(value: Any, names: Mapping[str, str], levels: int) -> Any:
    if levels == 0:
        return value
    if isinstance(value, Mapping):
        return {
            names.get(key, key): _value(key, inner, names, levels - 1)
            for key, inner in value.items()
            if key not in names or names[key] not in value
        }
    if isinstance(value, list | tuple):
        return [_renamed(inner, names, levels - 1) for inner in value]
    return value


def _value(key: str, value: Any, names: Mapping[str, str], levels: int) -> Any:
    if isinstance(value, str):
        return _renamed(_metadata(value), names, levels) if key == "metadata" else value
    if not isinstance(value, Mapping | list | tuple) or BEFORE_TO_TODAY.get(key, key) in OPAQUE:
        return value
    return _renamed(value, names, levels)


def _metadata(text: str) -> Any:
    """A message's metadata may come as the text of a JSON object."""
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return parsed if isinstance(parsed, dict) else text


def _moved(body: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The outermost keys under their new names, where these are free."""
    return {names.get(key, key): value for key, value in body.items() if key not in names or names[key] not in body}


def _with_training(body: dict[str, Any]) -> dict[str, Any]:
    """What a creation says of the training. Elsewhere, `processing` is the state of a source in both dialects."""
    moved = _moved(body, {"processing": "training"})
    training = moved.get("training")
    if isinstance(training, Mapping) and training.get("queued") is True and "status" not in training:
        moved["training"] = {**training, "status": "queued"}
    return moved

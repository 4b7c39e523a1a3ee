"""A survey answer that a model wrote as one JSON object: its parts by the usual names of their fields. Pure."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

_MOST_CHARACTERS = 40_000  # as many as one answer has at most
_FENCE = re.compile(r"\A(?:```|~~~)\w*|(?:```|~~~)\Z")
_LIKE_JSON = re.compile(r"""\{\s*(?:["'}]|\w{1,40}\s*:|\Z)|\[\s*["{]""")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")  # an escape can spell what no database takes
_REASONS = ("reason", "explanation", "rationale", "message", "text", "comment")
_OWN_WORDS = ("answer", "response", *_REASONS)  # the answer itself goes before what explains it
_VALUES = ("answer", "value", "rating", "score", "choice", "choices", "selected", "option", "options")
_THEMES = ("themes", "labels", "topics")
_JOINT = "; "


def object_parts(text: str, kind: str) -> tuple[str, str] | None:
    """The reason and the value, or the words and their themes; each is empty where there is none that can be used.

    None for a text that is not written as JSON. JSON that is broken, too long or no single object has no parts: it is
    never to be taken for words.
    """
    bare = _bare(text)
    if not _LIKE_JSON.match(bare):
        return None
    fields = _fields(bare)
    own_words = kind == "qualitative"
    told = _first(_words(fields.get(name)) for name in (_OWN_WORDS if own_words else _REASONS))
    if own_words:
        return told, _first(_listed(fields.get(name)) for name in _THEMES)
    return told, _first(_value(fields.get(name), several=kind == "multiselect") for name in _VALUES)


def _bare(text: str) -> str:
    return _FENCE.sub("", text.strip("\ufeff \t\r\n")).strip()


def _fields(text: str) -> Mapping[str, Any]:
    """What the object holds, by names in lower case."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        read = json.loads(text, strict=False, object_pairs_hook=_once)  # line ends within a string are common
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, unless it says the same thing twice: which of the two counts cannot be told."""
    fields = {name.strip().casefold(): value for name, value in pairs}
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def _first(found: Iterable[str]) -> str:
    return next((text for text in found if text), "")


def _words(value: object) -> str:
    """A string; one that holds JSON again is none."""
    if not isinstance(value, str) or _LIKE_JSON.match(_bare(value)):
        return ""
    return _UNSTORABLE.sub("", value).strip()


def _listed(value: object) -> str:
    """A string, or a list of nothing but strings, one after the other."""
    pieces = [_words(piece) for piece in value] if isinstance(value, list) else [_words(value)]
    return _JOINT.join(pieces) if all(pieces) else ""


def _value(value: object, *, several: bool) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return _number(value)
    return _listed(value) if several or not isinstance(value, list) or len(value) == 1 else ""


def _number(value: float) -> str:
    """Written out; one that is too small to be written without an exponent is no answer to anything."""
    if not math.isfinite(value):
        return ""
    written = str(int(value)) if value == int(value) else repr(value)
    return "" if "e" in written else written

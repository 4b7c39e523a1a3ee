"""JSON that a language model wrote: a survey answer, or a profile in the middle of prose. Pure."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from app.internal_api.engines.chat.citations import neutral
from app.internal_api.engines.engine import Profile
from app.internal_api.engines.snippets import one_line

_MOST_CHARACTERS = 40_000  # as many as one answer has at most
_MOST_OBJECTS = 20  # braces that are tried as the beginning of the profile
_MOST_TRAITS = 8
_SEPARATOR = "; "
_JSON_FENCE = re.compile(r"\A(?:```|~~~)\w*|(?:```|~~~)\Z")
_LIKE_JSON = re.compile(r"""\{\s*(?:["'}]|\w{1,40}\s*:|\Z)|\[\s*["{]""")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")  # an escape can spell what no database takes
_REASON_FIELDS = ("reason", "explanation", "rationale", "message", "text", "comment")
_OPEN_FIELDS = ("answer", "response", *_REASON_FIELDS)  # the answer itself goes before what explains it
_VALUE_FIELDS = ("answer", "value", "rating", "score", "choice", "choices", "selected", "option", "options")
_THEME_FIELDS = ("themes", "labels", "topics")


def json_parts(text: str, kind: str) -> tuple[str, str] | None:
    """The reason and the value of a survey answer by the usual names of their fields.

    None for a text that is not written as JSON. JSON that is broken, too long or no single object has empty parts: it
    must never be taken for words.
    """
    bare = _without_fence(text)
    if not _LIKE_JSON.match(bare):
        return None
    fields = _fields(bare)
    is_open = kind == "qualitative"
    reason = _first(_words(fields.get(name)) for name in (_OPEN_FIELDS if is_open else _REASON_FIELDS))
    if is_open:
        return reason, _first(_listed(fields.get(name)) for name in _THEME_FIELDS)
    value = _first(_value(fields.get(name), several=kind == "multiselect") for name in _VALUE_FIELDS)
    return reason, value


def _without_fence(text: str) -> str:
    return _JSON_FENCE.sub("", text.strip("\ufeff \t\r\n")).strip()


def _fields(text: str) -> Mapping[str, Any]:
    """What the object holds, by names in lower case; nothing of JSON that is broken, too long or no single object."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        read = json.loads(text, strict=False, object_pairs_hook=_once)  # line ends within a string are common
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, unless it says the same thing twice: which of the two counts cannot be known."""
    fields = {name.strip().casefold(): value for name, value in pairs}
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def _first(found: Iterable[str]) -> str:
    return next((text for text in found if text), "")


def _words(value: object) -> str:
    """A string; one that holds JSON again is none."""
    if not isinstance(value, str) or _LIKE_JSON.match(_without_fence(value)):
        return ""
    return _UNSTORABLE.sub("", value).strip()


def _listed(value: object) -> str:
    """A string, or a list of nothing but strings, one after the other."""
    pieces = [_words(piece) for piece in value] if isinstance(value, list) else [_words(value)]
    return _SEPARATOR.join(pieces) if all(pieces) else ""


def _value(value: object, *, several: bool) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        whole = math.isfinite(value) and value == int(value) and abs(value) <= _MOST_CHARACTERS
        return str(int(value)) if whole else ""
    return _listed(value) if several or not isinstance(value, list) or len(value) == 1 else ""


class _WrittenProfile(BaseModel):
    discipline: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    description: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    traits: Annotated[
        list[Annotated[str, StringConstraints(max_length=200)]], Field(default_factory=list, max_length=50)
    ]


def read_profile(text: str) -> Profile | None:
    """The first JSON object in the text that is a profile: it may be wrapped in prose or in a code fence."""
    for found in _objects(text):
        with suppress(ValidationError):
            written = _WrittenProfile.model_validate(found)
            traits = [trait for each in written.traits if (trait := neutral(one_line(each)))]
            return Profile(
                neutral(one_line(written.discipline)),
                neutral(one_line(written.description)),
                tuple(traits[:_MOST_TRAITS]),
            )
    return None


def _objects(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return
        with suppress(ValueError, RecursionError):  # prose with a brace in it
            yield decoder.raw_decode(text, at)[0]
        at = text.find("{", at + 1)

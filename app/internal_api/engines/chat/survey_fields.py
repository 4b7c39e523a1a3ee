"""The parts of a survey answer that a model wrote: the fields of a JSON object, the point of a scale. Pure."""

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


_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,]\d+)?")
_OF = re.compile(r"(?<=\d)\s*(?:/|out of|of|von|aus|sur|sobre|de)\s*(\d+)\b", re.IGNORECASE)
_MINUS = re.compile(r"\u2212(?=\d)|(?<![\w\s])[\u2013\u2014](?=\d)|\A[\u2013\u2014](?=\d)")
_BULLET = re.compile(r"\A\s*[-\u2013\u2014]\s+")
_DOUBT = (
    r"(?!(?:an?|and|at|but|or|to|maybe|perhaps|possibly|rather|und|aber|oder|bis|vielleicht|et|ou|mais|à|y|o|pero)\b)"
)
_REMARK = re.compile(
    r"\s*(?:[.;:!(,]\s*|[-\u2013\u2014]\s+|\s)(?:because|since|weil|denn|car|parce|puisque|porque|ya que)\b.*\Z"
    rf"|\s*(?:[.;:!]\s+|\(\s*|[-\u2013\u2014]\s+){_DOUBT}[^\W\d].*\Z",
    re.IGNORECASE | re.DOTALL,
)
_AROUND = " \t\r\n*_`\"'.,;:!|()[]<>"
_WORDS = (
    ("zero", "null", "zéro", "cero"),
    ("one", "eins", "un", "uno"),
    ("two", "zwei", "deux", "dos"),
    ("three", "drei", "trois", "tres"),
    ("four", "vier", "quatre", "cuatro"),
    ("five", "fünf", "cinq", "cinco"),
    ("six", "sechs", "seis"),
    ("seven", "sieben", "sept", "siete"),
    ("eight", "acht", "huit", "ocho"),
    ("nine", "neun", "neuf", "nueve"),
    ("ten", "zehn", "dix", "diez"),
)


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


def point(raw: str, scale: tuple[int, int], *, alone: bool) -> int | None:
    """The only number in `raw`, where it is whole and on the scale. With `alone`, nothing may stand beside it.

    What is said behind the number to explain it may hold numbers of its own, and so may a mention of the whole scale.
    """
    low, high = scale
    text = _without_the_scale(_MINUS.sub("-", _BULLET.sub("", raw.strip("*_` "))), scale)
    word = _word(text)
    if word is not None:
        return word if low <= word <= high else None
    told = _explained(text)
    numbers = {float(found.replace(",", ".")) for found in _NUMBER.findall(_OF.sub(" ", told))}
    if len(numbers) != 1 or {int(found) for found in _OF.findall(told)} - {high}:
        return None
    if alone and not _NUMBER.fullmatch(_OF.sub("", told).strip(_AROUND)):
        return None
    number = numbers.pop()
    return int(number) if number.is_integer() and low <= number <= high else None


def _without_the_scale(text: str, scale: tuple[int, int]) -> str:
    """Without "1 to 10" where these are the ends of the scale: it is no answer."""
    ends = rf"(?<![\w.,/-]){scale[0]}\s*(?:-|\u2013|to|bis|à|a)\s*{scale[1]}(?![\w/-]|[.,]\d)"
    return re.sub(ends, " ", text, flags=re.IGNORECASE)


def _word(text: str) -> int | None:
    """The number that is written as one word."""
    bare = text.strip(_AROUND).casefold()
    return next((number for number, words in enumerate(_WORDS) if bare in words), None)


def _explained(text: str) -> str:
    """`text` without what explains the number that it begins with."""
    first = _NUMBER.match(text.lstrip("([<\"' "))
    if first is None:
        return text
    text = text.lstrip("([<\"' ")
    of = _OF.match(text, first.end())
    end = of.end() if of else first.end()
    remark = _REMARK.match(text, end)
    return text[:end] if remark else text

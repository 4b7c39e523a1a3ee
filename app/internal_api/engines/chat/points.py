"""The point of a scale in what a model wrote as its answer: one whole number, or none that can be counted. Pure."""

import re

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

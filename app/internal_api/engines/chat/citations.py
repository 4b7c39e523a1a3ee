"""A model's answer: its citation marks, checked and numbered by first use, and the JSON object that it holds."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)

_NUMBERS = r"(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)"
_MARK = re.compile(rf"\[\[\s*cite\s*:?\s*{_NUMBERS}\s*\]\]", re.IGNORECASE)
_BROKEN = re.compile(rf"(?!{_MARK.pattern})\[\[\s*cite\b[^\[\]]*(?:\]{{1,2}}|\Z)", re.IGNORECASE)
_ANY_MARK = re.compile(r"\[\[\s*cite", re.IGNORECASE)
# Not the index of an array (`a[1]`), nor the text of a link (`[1](address)`).
_FOOTNOTE = re.compile(rf"(?<!\b\w)(?<!\[)\[{_NUMBERS}\](?![\](])")
_DECLINED = re.compile(r"\[\[\s*nothing\s*\]\]", re.IGNORECASE)
_BEGINS_DECLINED = re.compile(rf"\A\W{{0,3}}{_DECLINED.pattern}", re.IGNORECASE)
_DOUBLED = re.compile(r"([\[\]])(?=\1)")
_BLANKS = re.compile(r"[ \t]{2,}")
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?](?:\s|$))")
_MOST_OBJECTS = 20  # braces that are tried as the beginning of the object


def cite(text: str, sources: int, *, footnotes: bool = True) -> tuple[str, list[int]]:
    """The text with its valid marks renumbered from 0, and the sources, counted from 0, in that order.

    The model counts its sources from 1. One that writes `[1]` all through is taken at its word, with `footnotes`.
    """
    order: dict[int, int] = {}

    def marked(match: re.Match[str]) -> str:
        exist = all(0 < number <= sources for number in _numbers(match))
        return f"[[CITE:{match[1]}]]" if exist else match[0]

    def renumbered(match: re.Match[str]) -> str:
        return f"[[CITE:{order.setdefault(int(match[1]), len(order))}]]"

    whole = _FOOTNOTE.sub(marked, text) if footnotes and not _ANY_MARK.search(text) else text
    return _tidy(_MARK.sub(renumbered, _only_valid(whole, sources))), [number - 1 for number in order]


def without_marks(text: str) -> str:
    """The text without any mark of ours."""
    return _tidy(_only_valid(text, 0, _DECLINED))


def declines(text: str) -> bool:
    """Whether the model began with `[[NOTHING]]`: its sources do not cover the question."""
    return bool(_BEGINS_DECLINED.match(text))


def neutral(text: str) -> str:
    """A text that cannot be taken for our own marks."""
    return _DOUBLED.sub(r"\1 ", text)


def find_object(text: str, model: type[T]) -> T | None:
    """The first JSON object in the text that fits `model`: it may be wrapped in prose or in a code fence."""
    return next(find_objects(text, model), None)


def find_objects(text: str, model: type[T]) -> Iterator[T]:
    """Each of them that is in no other."""
    end = 0
    for brace in islice(re.finditer(r"\{", text), _MOST_OBJECTS):
        with suppress(ValueError, RecursionError):  # prose with a brace in it, or an object of another shape
            if brace.start() >= end:
                value, after = json.JSONDecoder(strict=False).raw_decode(text, brace.start())
                yield model.model_validate(value)
                end = after


def _only_valid(text: str, sources: int, dropped: re.Pattern[str] = _BROKEN) -> str:
    """The text with one plain mark for each source that exists, and without broken marks and what is `dropped`."""

    def plain(match: re.Match[str]) -> str:
        return "".join(f"[[CITE:{number}]]" for number in dict.fromkeys(_numbers(match)) if 0 < number <= sources)

    # Until nothing changes: what is taken out may bring two halves of a mark together.
    while (cleaned := dropped.sub("", _MARK.sub(plain, _BROKEN.sub("", text)))) != text:
        text = cleaned
    return text


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", match[1])]


def _tidy(text: str) -> str:
    return _BEFORE_STOP.sub("", _BLANKS.sub(" ", text)).strip()

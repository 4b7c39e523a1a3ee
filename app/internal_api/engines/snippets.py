"""What is shown of a passage beside an answer: the part of it that the answer rests on. Pure."""

import re
from collections.abc import Iterator, Mapping

from app.internal_api.engines.extractive.sentences import split_sentences

LENGTH = 300
ELLIPSIS = "…"

_MARKS = re.compile(r"((?:\[\[CITE:\d{1,9}\]\]\s*)+)")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


def claims(content: str) -> Mapping[int, str]:
    """What an answer says with each of its citations: the text that ends with the citation's mark."""
    found: dict[int, str] = {}
    pieces = _MARKS.split(content)
    for said, marks in zip(pieces[::2], pieces[1::2], strict=False):
        claim = said.strip().rpartition("\n")[2]
        for number in _NUMBER.findall(marks):
            found[int(number)] = f"{found.get(int(number), '')} {claim}".strip()
    return found


def snippet(passage: str, claim: str = "") -> str:
    """One line of at most LENGTH characters: whole sentences, where they fit, that share most words with `claim`."""
    flat = " ".join(passage.split())
    if len(flat) <= LENGTH:
        return flat
    wanted = _words(claim)
    # The first of the best: without a claim, or when nothing fits it, that is the beginning.
    start, end = max(_windows(flat), key=lambda window: len(_words(flat[slice(*window)]) & wanted))
    return f"{ELLIPSIS if start else ''}{flat[start:end]}{ELLIPSIS if end < len(flat) else ''}"


def _windows(text: str) -> list[tuple[int, int]]:
    """From the start of each sentence as many whole sentences as there is room for, with an ellipsis at both ends."""
    room = LENGTH - 2 * len(ELLIPSIS)
    spans = list(_spans(text))
    windows = []
    for number, (start, _) in enumerate(spans):
        ends = [end for _, end in spans[number:] if end - start <= room]
        windows.append((start, max(ends, default=0) or _cut(text, start, start + room)))
    return windows


def _spans(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        yield start, end


def _cut(text: str, start: int, end: int) -> int:
    """The last gap between words that leaves some of the text; else `end`."""
    gap = text.rfind(" ", start, end + 1)
    return gap if gap > start else end


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))

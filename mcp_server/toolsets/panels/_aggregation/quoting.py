"""A persona's own words: exact parts of its answer, whole sentences where they fit. Pure."""

import re
import unicodedata
from collections.abc import Callable

LONGEST = 240
END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”]?|\n+")  # noqa: RUF001 - the full stops of Chinese and Japanese
ABBREVIATION = re.compile(
    r"(?:\b[^\W\d_]|\b(?:e\.g|i\.e|z\.B|d\.h|vs|etc|approx|ca|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|inc|Ltd))\.$"
)
BEFORE = re.compile(r"[\s\-*•·>#]+")
TOKEN = re.compile(r"\w[\w'’-]*")  # noqa: RUF001 - an apostrophe


def sentences(message: str) -> list[str]:
    """The sentences, each an exact part of the message, without the blanks and bullets around it."""
    found, start = [], 0
    for end in END.finditer(message):
        if _ends(message, end):
            found.append(message[start : end.end()])
            start = end.end()
    found.append(message[start:])
    return [trimmed for one in found if (trimmed := _trimmed(one))]


def _ends(message: str, end: re.Match[str]) -> bool:
    following = message[end.end() :].lstrip()[:1]
    return "\n" in end[0] or not (
        following.islower() or ABBREVIATION.search(message[max(0, end.start() - 8) : end.end()])
    )


def _trimmed(text: str) -> str:
    before = BEFORE.match(text)
    return (text[before.end() :] if before else text).rstrip()


def opening(message: str) -> str:
    """The first whole sentences that fit; where none does, as many words of the first."""
    each = sentences(message)
    if not each:
        return ""
    begin = message.index(each[0])
    best, at = "", begin
    for one in each:
        at = message.index(one, at) + len(one)
        if at - begin > LONGEST:
            break
        best = message[begin:at]
    return best or shortened(each[0])


def shortened(sentence: str, at: int = 0) -> str:
    """At most 240 characters of a sentence, cut between words, which hold the character at `at`."""
    if len(sentence) <= LONGEST:
        return sentence
    start = 0 if at < LONGEST * 3 // 4 else _word_start(sentence, at - LONGEST // 2)
    piece = sentence[start : start + LONGEST]
    if start + LONGEST < len(sentence):
        piece = _whole_words(piece, sentence[start + LONGEST])
    return piece.strip()


def _word_start(text: str, at: int) -> int:
    gap = re.compile(r"\s").search(text, at, at + LONGEST // 2)
    return gap.end() if gap else at


def _whole_words(piece: str, following: str) -> str:
    if following.isspace():
        return piece
    cut = max(piece.rfind(" "), piece.rfind("\n"), piece.rfind("\t"))
    if cut > 0:
        return piece[:cut]
    # No blanks: a script without them, or one long word. A sign and its marks stay together.
    while len(piece) > 1 and _joins(following, piece[-1]):
        piece, following = piece[:-1], piece[-1]
    return piece


def _joins(following: str, before: str) -> bool:
    zero_width_joiner = "\u200d"
    return unicodedata.category(following)[0] == "M" or zero_width_joiner in {following, before}


def about(message: str, roots: frozenset[str], roots_of: Callable[[str], set[str]]) -> tuple[int, str]:
    """The sentence that shares the most roots with a theme, and how many; the first of equal ones."""
    scored = [(len(roots & roots_of(one)), one) for one in sentences(message)]
    if not scored:
        return 0, ""
    most, best = max(scored, key=lambda each: each[0])
    if most == 0:
        return 0, opening(message)
    return most, shortened(best, _position(best, roots, roots_of) if len(best) > LONGEST else 0)


def _position(sentence: str, roots: frozenset[str], roots_of: Callable[[str], set[str]]) -> int:
    places = (token.start() for token in TOKEN.finditer(sentence) if roots & roots_of(token[0]))
    return next(places, 0)

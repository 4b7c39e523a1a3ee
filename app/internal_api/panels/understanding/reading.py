"""A question as it is read: its text in three spellings of one length, and its sentences."""

import re
import unicodedata
from dataclasses import dataclass

from app.internal_api.knowledge.language import guess_language
from app.internal_api.knowledge.terms import words_of

_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_QUOTES = {ord("\u2019"): "'", ord("\u02bc"): "'"}
# Bounded, so that an opening quotation mark that is never closed costs little.
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|\u201e[^\u201c\u201d\n]{1,300}[\u201c\u201d]|«[^»\n]{1,300}»"
    r"|(?<!\w)'[^'\n]{1,200}'(?!\w)|(?<!\w)\u2018[^\u2019\n]{1,200}\u2019(?!\w)"
)
_END = re.compile(r"[.!?…]+[)\]\"'\u201d»]*(?=\s|\Z)|\n")
_ABBREVIATION = re.compile(r"(?:\b(?:\w\.\w|vs|etc|approx|ca|no|bzw|max|min|mr|mrs|dr|inc|z\. ?b|p\. ?ex|ej))\.\Z")

# "Was fehlt Ihnen?" begins like an English question.
_ONLY_GERMAN = frozenset({"ihnen", "sie", "ihre", "ihrem", "euch", "fehlt", "gefallt"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line: where it stands in the question, and its end mark."""

    start: int
    end: int
    asks: bool
    text: str  # as `Reading.masked` has it


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` is as it was written, but for blanks; `simple` is lower case without accents; `masked` without quotations.

    The three are of one length, so that what is found in one can be cut from another.
    """

    text: str
    simple: str
    masked: str
    sentences: tuple[Sentence, ...]
    language: str


def read(text: str) -> Reading:
    """Read a question."""
    clean = _clean(text)
    simple = "".join(map(_simple, clean.translate(_DASHES)))
    masked = _QUOTED.sub(_hidden, clean.translate(_DASHES))
    masked = "".join(_simple(character) for character in masked)
    return Reading(clean, simple.translate(_QUOTES), masked.translate(_QUOTES), _sentences(masked), _language(clean))


def _clean(text: str) -> str:
    visible = "".join(c for c in unicodedata.normalize("NFC", text) if c.isspace() or unicodedata.category(c)[0] != "C")
    folded = _LINES.sub("\n", _BLANKS.sub(" ", "\n".join(visible.splitlines()))).strip()
    whole = _QUOTED.fullmatch(folded)
    return folded[1:-1].strip() if whole else folded


def _simple(character: str) -> str:
    """The letter in lower case and without its accents: always one character."""
    if character.isascii():
        return character.lower()
    lower = unicodedata.normalize("NFD", character.lower())
    return (
        lower[0] if len(lower) > 1 and "\u0300" <= lower[1] <= "\u036f" else (lower if len(lower) == 1 else character)
    )


def _hidden(match: re.Match[str]) -> str:
    """A quotation as one word: its marks stay, since they tell where an option begins."""
    quoted = match.group()
    return quoted[0] + "x" * (len(quoted) - 2) + quoted[-1]


def _sentences(masked: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    start = 0
    for match in [*_END.finditer(masked), None]:
        end = len(masked) if match is None else match.end()
        if match is not None and _ABBREVIATION.search(masked, max(start, end - 8), end):
            continue
        piece = masked[start:end]
        if piece.strip():
            at = start + len(piece) - len(piece.lstrip())
            found.append(Sentence(at, start + len(piece.rstrip()), "?" in piece[-4:], piece.strip()))
        start = end
    return tuple(found)


def _language(text: str) -> str:
    words = words_of(text)
    if "¿" in text or "¡" in text:
        return "es"
    return "de" if _ONLY_GERMAN.intersection(words) else guess_language(words)

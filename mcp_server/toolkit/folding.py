"""Names and words as they are compared: without case, accents or signs, in Latin letters, and as they sound. Pure."""

import re
import tomllib
import unicodedata
from pathlib import Path

from anyascii import anyascii
from rapidfuzz.utils import default_process

LONGEST = 80  # characters of a name that count: the comparison holds the interpreter
OPTIONAL_MARKS = 10
"""Canonical combining classes from here on are accents, vowel points and the like, which people leave out. Those
below make other letters (nukta, the Japanese voicing marks, virama), and class 0 are vowels of Indic scripts."""


def fold(text: str) -> str:
    """`text` as it is compared: no accents, no case, no punctuation, single spaces, at most 80 characters."""
    cut = text[:LONGEST]
    plain = default_process(cut) if cut.isascii() else only_words(unaccented(cut))
    return " ".join(plain.split())[:LONGEST].rstrip()


def latin(text: str) -> str:
    """`text` in Latin letters, as it sounds where the script is another, without apostrophes, which few write."""
    return re.sub("['\"`]", "", anyascii(re.sub("[οΟ][υύΥΎ]", "ou", text)))  # noqa: RUF001  one Greek vowel


WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def sound(text: str) -> str:
    """`text` as it sounds, whichever of the usual ways of writing it in Latin letters was chosen: Jürgen and Juergen,
    Yuri and Iurii. Other names may sound the same, too.
    """
    heard = fold(latin(unaccented(text[:LONGEST])))
    for spelling, same in WORDS["spellings"]:
        heard = re.sub(spelling, same, heard)
    return heard


def unaccented(text: str) -> str:
    """No case and no accents; letters that a mark makes another letter stay that letter."""
    # Case folding can set accents free ("İ") and decomposition can set capitals free, hence both twice.
    return _without_marks(_without_marks(text).casefold()).casefold()


def only_words(text: str) -> str:
    """Spaces for all other signs; vowel signs of Indic scripts are marks, and belong to their words."""
    return "".join(sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in text)


def _without_marks(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if unicodedata.combining(sign) < OPTIONAL_MARKS)

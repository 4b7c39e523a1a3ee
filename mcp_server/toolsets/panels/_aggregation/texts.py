"""Texts as they are compared: without case, accents and ornament; and the words that they are made of. Pure."""

import re
import unicodedata

from mcp_server.toolkit.matching import OPTIONAL_MARKS

QUOTES = "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2039\u203a\u300c\u300d"
ORNAMENT = f" \t\r\n*_~.,;:!?\u2026\u2022\u00b7\u00bf\u00a1\u3002{QUOTES}"
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
SAME_SIGNS = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
)
BULLET = re.compile(r"^\s*(?:[-*+\u2022\u00b7\u2013\u2014]\s+)+")
ELISION = re.compile(r"\b(?:qu|[cdjlmnst])'(?=[^\W\d_]{2})")  # French: l'accueil
POSSESSIVE = re.compile(r"'s\b")
HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")  # on-boarding is onboarding
WORD = re.compile(r"[a-z0-9]+")


def plain(text: str) -> str:
    """No case and no accents; letters that a mark makes another letter stay that letter."""
    if text.isascii():
        return text.lower()
    # Folding can set accents free and decomposition can set capitals free, hence both twice.
    return _without_marks(_without_marks(text.translate(SAME_SIGNS)).casefold()).casefold()


def _without_marks(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if unicodedata.combining(sign) < OPTIONAL_MARKS)


def bare(text: str) -> str:
    """`text` in one line, without a bullet before it and quotes, emphasis or dots around it."""
    line = " ".join(BULLET.sub("", text).split())
    inside = line.strip(ORNAMENT)
    while (less := _unbracketed(inside).strip(ORNAMENT)) != inside:
        inside = less
    return inside or line


def _unbracketed(line: str) -> str:
    """`line` without brackets around the whole of it, and without one that has lost its partner."""
    for opening, closing in BRACKETS:
        begins, ends = line.startswith(opening), line.endswith(closing)
        if begins and (ends or closing not in line):
            line = line[1:]
        if ends and (begins or opening not in line):
            line = line[:-1]
    return line


def loose(text: str) -> str:
    """What two spellings of one option have in common. Signs inside count: C, C++ and C# are three things."""
    return bare(plain(text))


def words(text: str) -> list[str]:
    """The folded words; a hyphen joins, an apostrophe does not part."""
    line = plain(text)
    if "'" in line:
        line = POSSESSIVE.sub("", ELISION.sub("", line)).replace("'", "")
    if "-" in line:
        line = HYPHEN.sub("", line)
    return WORD.findall(line) if line.isascii() else _signs(line).split()


def _signs(line: str) -> str:
    # Vowel signs of Indic scripts are marks, and belong to their words.
    return "".join(sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in line)

"""Texts as they are compared, as they are quoted, and as figures stand in a sentence. Pure."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_server.toolkit.folding import only_words, unaccented

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
"""Words and sentences of results and exports."""

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

LONGEST_QUOTE = 240
END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”]?|\n+")  # noqa: RUF001 - the full stops of Chinese and Japanese
ABBREVIATION = re.compile(
    r"(?:\b[^\W\d_]|\b(?:e\.g|i\.e|z\.B|d\.h|vs|etc|approx|ca|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|inc|Ltd))\.$"
)
BEFORE = re.compile(r"[\s\-*•·>#]+")

NAMED = 5  # names in one sentence


def plain(text: str) -> str:
    """No case and no accents; letters that a mark makes another letter stay that letter."""
    if text.isascii():
        return text.lower()
    return unaccented(text.translate(SAME_SIGNS))


def bare(text: str) -> str:
    """`text` in one line, without a bullet before it and quotes, emphasis, dots or brackets around it."""
    line = " ".join(BULLET.sub("", text).split())
    inside = line.strip(ORNAMENT)
    while (less := _unbracketed(inside).strip(ORNAMENT)) != inside:
        inside = less
    return inside or line


def _unbracketed(line: str) -> str:
    """`line` without brackets around the whole of it, and without one that has lost its partner."""
    for opening_sign, closing in BRACKETS:
        begins, ends = line.startswith(opening_sign), line.endswith(closing)
        if begins and (ends or closing not in line):
            line = line[1:]
        if ends and (begins or opening_sign not in line):
            line = line[:-1]
    return line


def loose(text: str) -> str:
    """What two spellings of one option have in common. Signs inside count: C, C++ and C# are three things."""
    return bare(plain(text))


def words(text: str) -> list[str]:
    """The folded words; a hyphen joins, an apostrophe does not part."""
    line = HYPHEN.sub("", POSSESSIVE.sub("", ELISION.sub("", plain(text))).replace("'", ""))
    return WORD.findall(line) if line.isascii() else only_words(line).split()


def sentences(message: str) -> list[str]:
    """The sentences, each an exact part of the message, without the blanks and bullets around it."""
    found, start = [], 0
    for end in END.finditer(message):
        following = message[end.end() :].lstrip()[:1]
        abbreviates = ABBREVIATION.search(message[max(0, end.start() - 8) : end.end()])
        if "\n" in end[0] or not (following.islower() or abbreviates):
            found.append(message[start : end.end()])
            start = end.end()
    found.append(message[start:])
    trimmed = (one[before.end() :] if (before := BEFORE.match(one)) else one for one in found)
    return [text for one in trimmed if (text := one.rstrip())]


def opening(message: str) -> str:
    """The first whole sentences that fit; where none does, as many words of the first."""
    each = sentences(message)
    if not each:
        return ""
    begin = at = message.index(each[0])
    best = ""
    for one in each:
        at = message.index(one, at) + len(one)
        if at - begin > LONGEST_QUOTE:
            break
        best = message[begin:at]
    return best or shortened(each[0])


def shortened(sentence: str, most: int = LONGEST_QUOTE) -> str:
    """At most `most` characters of a sentence, cut between words where it has any."""
    if len(sentence) <= most:
        return sentence
    piece = sentence[:most]
    cut = -1 if sentence[most].isspace() else max(piece.rfind(gap) for gap in " \n\t")
    return (piece[:cut] if cut > 0 else piece).strip()


def figure(value: float) -> str:
    """One or two decimals: `7.0`, `7.4`, `7.33`."""
    text = f"{round(value, 2) + 0.0:.2f}"  # + 0.0 makes -0.0 a plain zero
    return text.removesuffix("0")


def percent(share: float) -> str:
    """A share from 0 to 1 as a whole percentage: `60 %`."""
    return f"{share * 100:.0f} %"


def some(names: Sequence[str], most: int = NAMED) -> str:
    """The first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def personas(number: int) -> str:
    """`1 persona`, `12 personas`."""
    return f"{number} persona" if number == 1 else f"{number} personas"

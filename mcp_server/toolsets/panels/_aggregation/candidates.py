"""What a reply may mean, and what of that it takes back. Pure.

Each candidate, a number or an option, stands in the folded reply as one character of its own. Patterns strike those
that are denied, compared away, said by others or only considered; `replies.toml` has them, and the small words.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))
FIRST, MOST, UNCLEAR = 0xE100, 1_000, "\xa6"  # the first character of a candidate, and how many there are of each kind
WHOLE, PART, LETTER, STRUCK = range(4)
"""How an option is named: by a name of its own, by a word of it, or by its letter or number; or that it was struck."""
WORD, NOT = re.compile(r"[^\W_]+"), re.compile(r"n't\b|(?<=\bcan)not\b|(?<=\bdid)nt\b|(?<=\bdoes)nt\b|(?<=\bwas)nt\b")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")


def mark(place: int, kind: int = WHOLE) -> str:
    """The character of the candidate at this place of a list, by how it is named."""
    return chr(FIRST + kind * MOST + place)


def _characters(first: int, last: int) -> str:
    return f"{mark(0, first)}-{mark(MOST - 1, last)}"


_SIGN = re.compile("[§¤£]")
SIGNS = {"§": _characters(WHOLE, LETTER), "¤": _characters(STRUCK, STRUCK), "£": _characters(LETTER, LETTER)}
"""What a sign of the patterns stands for, as it is written in a class of characters."""
CANDIDATE, ANY = re.compile(f"[{SIGNS['§']}]"), re.compile(f"[{_characters(WHOLE, STRUCK)}]")


def marks(text: str) -> list[tuple[int, int]]:
    """The candidates, also those that were struck, in their order, each with how it is named."""
    found = (ord(one[0]) - FIRST for one in ANY.finditer(text))
    return [(code % MOST, code // MOST) for code in found]


def places(text: str) -> list[int]:
    """The candidates that are left, in the order in which they stand there."""
    return [place for place, kind in marks(text) if kind != STRUCK]


class Patterns:
    """The patterns of some tables, as `replies.toml` says; `parts` are further entries.

    Each is compiled when it is first asked for: all of them take half a second, and most processes read no reply.
    """

    def __init__(self, *tables: str, **parts: str) -> None:
        self._written: dict[str, str] = {name: text for table in tables for name, text in TABLES[table].items()}
        self._known = {**self._written, **TABLES, **parts}
        self._compiled = dict[str, re.Pattern[str]]()

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            text = self._written[name]
            while "«" in text:
                text = re.sub("«(\\w+)»", lambda part: self._known[part[1]], text)
            text = text.replace("\n", "")
            text = _CLASS.sub(lambda one: _SIGN.sub(lambda sign: SIGNS[sign[0]], one[0]), text)
            self._compiled[name] = re.compile(_SIGN.sub(lambda sign: f"[{SIGNS[sign[0]]}]", text))
        return self._compiled[name]

    def __iter__(self) -> Iterator[re.Pattern[str]]:
        return map(self.__getitem__, self._written)


def vocabulary(table: str, *lists: str) -> frozenset[str]:
    return frozenset(word for name in lists for word in TABLES[table][name].split())


CLAUSES, CORRECTED = Patterns("all"), Patterns("corrected")
STRIKES, ASIDES, FINAL = (Patterns(name) for name in ("struck", "aside", "final"))
FUNCTION = vocabulary("words", "function")


def unmarked(text: str) -> str:
    """Without characters that would be taken for candidates."""
    return ANY.sub(" ", text).replace(UNCLEAR, " ")


def settle(
    text: str, besides: Patterns, asides: Patterns, taken_back: str = "taken_back", finals: Patterns = FINAL
) -> str:
    """Strike what does not count, by the patterns of both kinds of question and by those of one of them."""
    text = NOT.sub(" not", text)
    text = CORRECTED[taken_back].sub(lambda found: f"{found['kept'] or ''}{_strike(found['out'])}. ", text)
    text = CLAUSES["clause"].sub(r"|\g<0>", text)
    for each in (*besides, *STRIKES):
        text = each.sub(struck, text)
    for final in finals:  # what sums up stands for all
        if len(found := final.findall(text)) == 1:
            kept = set(places(found[0]))
            text = "".join(sign if kept.intersection(places(sign)) else _strike(sign) for sign in text)
    for aside in (*asides, *ASIDES):
        if CANDIDATE.search(less := aside.sub(lambda found: CANDIDATE.sub(" ", found[0]), text)):
            text = less
    return text


def struck(found: re.Match[str]) -> str:
    """A match with its candidates struck, or those in its group `out`."""
    start, end = found.span("out" if "out" in found.re.groupindex else 0)
    start, end = start - found.start(), end - found.start()
    return found[0][:start] + _strike(found[0][start:end]) + found[0][end:]


def _strike(text: str) -> str:
    return CANDIDATE.sub(lambda one: mark((ord(one[0]) - FIRST) % MOST, STRUCK), text)

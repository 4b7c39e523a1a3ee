"""What a reply may mean, and what of that it takes back. Pure.

Each candidate, a number or an option, stands in the folded reply as one character of its own. Patterns strike those
that are denied, compared away, said by others or only considered; `replies.toml` has them, and the small words.
"""

import re
import tomllib
from collections.abc import Iterable
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


def compiled(table: str, **parts: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a table, as `replies.toml` says; `parts` are further entries."""
    known, found = {**TABLES[table], **TABLES, **parts}, {}
    for name, written in TABLES[table].items():
        text = written if isinstance(written, str) else ""
        while "«" in text:
            text = re.sub("«(\\w+)»", lambda part: known[part[1]], text)
        text = text.replace("\n", "")
        text = _CLASS.sub(lambda one: _SIGN.sub(lambda sign: SIGNS[sign[0]], one[0]), text)
        found[name] = re.compile(_SIGN.sub(lambda sign: f"[{SIGNS[sign[0]]}]", text))
    return found


def vocabulary(table: str, *lists: str) -> frozenset[str]:
    return frozenset(word for name in lists for word in TABLES[table][name].split())


CLAUSE, CORRECTED = compiled("all")["clause"], compiled("corrected")
TAKEN_BACK, LAST_TAKEN_BACK = CORRECTED["taken_back"], CORRECTED["last_taken_back"]
STRIKES, ASIDES, FINAL = (compiled(name).values() for name in ("struck", "aside", "final"))
FUNCTION = vocabulary("words", "function")


def unmarked(text: str) -> str:
    """Without characters that would be taken for candidates."""
    return ANY.sub(" ", text).replace(UNCLEAR, " ")


def settle(
    text: str,
    besides: Iterable[re.Pattern[str]],
    asides: Iterable[re.Pattern[str]],
    taken_back: re.Pattern[str] = TAKEN_BACK,
    finals: Iterable[re.Pattern[str]] = FINAL,
) -> str:
    """Strike what does not count, by the patterns of both kinds of question and by those of one of them."""
    text = taken_back.sub(lambda found: f"{found['kept'] or ''}{_strike(found['out'])}. ", NOT.sub(" not", text))
    text = CLAUSE.sub(r"|\g<0>", text)
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

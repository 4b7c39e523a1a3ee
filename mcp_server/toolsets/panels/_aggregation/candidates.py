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
FIRST, LAST, STRUCK = "\ue100", "\uf8ff", "\xa4"
CANDIDATE = re.compile(f"[{FIRST}-{LAST}]")
WORD = re.compile(r"[^\W_]+")
NOT = re.compile(r"n't\b|(?<=\bcan)not\b")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")


def pattern(text: str, **parts: str) -> re.Pattern[str]:
    """A pattern of the tables: § is a candidate, and a name in «» one of the parts that the tables or `parts` have."""
    while "«" in text:
        text = re.sub("«(\\w+)»", lambda found: parts.get(found[1]) or TABLES[found[1]], text)
    inside = _CLASS.sub(lambda found: found[0].replace("§", f"{FIRST}-{LAST}"), text)
    return re.compile(inside.replace("§", CANDIDATE.pattern).replace("¤", STRUCK))


def patterns(table: str) -> list[re.Pattern[str]]:
    return [pattern(each) for each in TABLES[table].values()]


def vocabulary(table: str, *lists: str) -> frozenset[str]:
    return frozenset(word for name in lists for word in TABLES[table][name].split())


CLAUSE, STRIKES, ASIDES, FINAL = pattern("«clause»|«reason»"), patterns("struck"), patterns("aside"), patterns("final")
FUNCTION = vocabulary("words", "function")


def mark(place: int) -> str:
    """The character of the candidate at this place of a list."""
    return chr(ord(FIRST) + place)


def places(text: str) -> list[int]:
    """The candidates that are left, in the order in which they stand there."""
    return [ord(found[0]) - ord(FIRST) for found in CANDIDATE.finditer(text)]


def unmarked(text: str) -> str:
    """Without characters that would be taken for candidates."""
    return CANDIDATE.sub(" ", text).replace(STRUCK, " ")


def settle(text: str, besides: Iterable[re.Pattern[str]]) -> str:
    """Strike what does not count, by the patterns of both kinds of question and by those `besides`."""
    text = CLAUSE.sub(r"|\g<0>", NOT.sub(" not", text))
    for each in (*besides, *STRIKES):
        text = each.sub(_struck, text)
    for final in FINAL:  # what sums up stands for all
        if len(found := final.findall(text)) == 1:
            text = CANDIDATE.sub(lambda one, kept=found[0]: one[0] if one[0] in kept else STRUCK, text)
    for aside in ASIDES:
        if CANDIDATE.search(less := aside.sub(_struck, text)):
            text = less
    return text


def _struck(found: re.Match[str]) -> str:
    start, end = found.span("out" if "out" in found.re.groupindex else 0)
    start, end = start - found.start(), end - found.start()
    return found[0][:start] + CANDIDATE.sub(STRUCK, found[0][start:end]) + found[0][end:]

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
WORD, NOT = re.compile(r"[^\W_]+"), re.compile(r"n't\b|(?<=\bcan)not\b")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")


def compiled(table: str, **parts: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a table: § is a candidate, and a name in «» a part, of the table itself or of all."""
    known, found = {**TABLES[table], **TABLES, **parts}, {}
    for name, written in TABLES[table].items():
        text = written if isinstance(written, str) else ""
        while "«" in text:
            text = re.sub("«(\\w+)»", lambda part: known[part[1]], text)
        inside = _CLASS.sub(lambda one: one[0].replace("§", f"{FIRST}-{LAST}"), text)
        found[name] = re.compile(inside.replace("§", CANDIDATE.pattern).replace("¤", STRUCK))
    return found


def vocabulary(table: str, *lists: str) -> frozenset[str]:
    return frozenset(word for name in lists for word in TABLES[table][name].split())


CLAUSE = compiled("all")["clause"]
STRIKES, ASIDES, FINAL = (compiled(name).values() for name in ("struck", "aside", "final"))
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
            kept = set(found[0])
            text = CANDIDATE.sub(lambda one, kept=kept: one[0] if one[0] in kept else STRUCK, text)  # type: ignore[misc]  # bound now
    for aside in ASIDES:
        if CANDIDATE.search(less := aside.sub(_struck, text)):
            text = less
    return text


def _struck(found: re.Match[str]) -> str:
    start, end = found.span("out" if "out" in found.re.groupindex else 0)
    start, end = start - found.start(), end - found.start()
    return found[0][:start] + CANDIDATE.sub(STRUCK, found[0][start:end]) + found[0][end:]

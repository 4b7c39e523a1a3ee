"""A passage cut into what can be quoted: sentences, list items, table rows, lines of code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from app.internal_api.engines.extractive.sentences import shorten, split_sentences
from app.internal_api.engines.extractive.terms import fold
from app.internal_api.knowledge.documents import Passage

MAX_PASSAGES = 12
MAX_CHARACTERS = 8_000  # of one passage; chunks are far smaller

_LIST = re.compile(r"\s*(?:[-*+•\u2013·‣◦]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_RULE = re.compile(r"[\s|:+=*_-]*")  # under a heading, between rows
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LABELLED = re.compile(r"[^:.!?]{2,40}: \S")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TITLE_LENGTH = 70
_TITLE_WORDS = 8
_OPEN_LINE = 100
_LONG_ITEM = 240  # from here an item is told sentence by sentence


class Kind(StrEnum):
    """What a line or a unit is."""

    SENTENCE = "sentence"
    INTRO = "intro"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    HEADING = "heading"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Unit:
    """One quotable piece. `text` is exact up to whitespace; `context` is read for matching and never quoted.

    `block` numbers the paragraph or list that the unit belongs to; `lead` is the position of the line that
    introduces its list or table.
    """

    text: str
    passage: int
    position: int
    kind: Kind
    block: int
    context: str
    lead: int | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    kind: Kind
    text: str


def read_units(passages: Iterable[Passage]) -> list[Unit]:
    """All quotable units of the passages, in their order."""
    found: list[Unit] = []
    for number, passage in enumerate(passages):
        if number == MAX_PASSAGES:
            break
        found.extend(_passage_units(passage, number))
    return found


def _passage_units(passage: Passage, number: int) -> list[Unit]:
    found: list[Unit] = []
    heading = " ".join(filter(None, (passage.title, passage.heading)))
    question = ""
    lead: int | None = None
    for index, block in enumerate(_blocks(passage.text[:MAX_CHARACTERS])):
        if block.kind is Kind.HEADING:
            heading, question, lead = f"{passage.title} {block.text}", "", None
            continue
        pieces = _pieces(block)
        for piece in pieces:
            if piece.endswith("?") and block.kind is not Kind.CODE:
                question = piece  # a question in a document says what the next lines answer
                continue
            unit = Unit(piece, number, len(found), block.kind, index, f"{heading} {question}".strip())
            if _quotable(piece):
                found.append(_placed(unit, lead))
        if block.kind is Kind.SENTENCE:
            question = "" if pieces and not pieces[-1].endswith("?") else question
        lead = _next_lead(found, block, index, lead)
    return _with_headers(found)


def _with_headers(units: list[Unit]) -> list[Unit]:
    """The first row of a table introduces the others; what introduces a line is read with it."""
    leads = {unit.lead for unit in units if unit.kind is Kind.ROW}
    return [
        replace(
            unit,
            kind=Kind.INTRO if unit.position in leads else unit.kind,
            context=unit.context if unit.lead is None else f"{unit.context} {units[unit.lead].text}",
        )
        for unit in units
    ]


def _placed(unit: Unit, lead: int | None) -> Unit:
    if unit.kind in {Kind.ITEM, Kind.ROW}:
        return replace(unit, lead=lead)
    return replace(unit, kind=Kind.INTRO) if unit.text.endswith(":") else unit


def _next_lead(found: list[Unit], block: _Block, index: int, lead: int | None) -> int | None:
    """The unit that introduces what follows: a line that ends with a colon, or the first row of a table."""
    if not found or found[-1].block != index:
        return None
    last = found[-1]
    if last.kind is Kind.INTRO:
        return last.position
    if block.kind is Kind.ROW:
        in_table = lead is not None and found[lead].kind is Kind.ROW
        return lead if in_table else last.position
    return lead if block.kind is Kind.ITEM and lead is not None and found[lead].kind is Kind.INTRO else None


def _pieces(block: _Block) -> list[str]:
    whole = fold(block.text)
    if block.kind is Kind.SENTENCE or (block.kind is Kind.ITEM and len(whole) > _LONG_ITEM):
        return [shorten(sentence) for sentence in split_sentences(whole)]
    return [shorten(whole)] if whole else []


def _quotable(text: str) -> bool:
    # Our own citation mark inside a document would be taken for one; control characters garble a terminal.
    return "[[" not in text and any(c.isalnum() for c in text) and not _CONTROL.search(text)


def _blocks(text: str) -> Iterator[_Block]:
    """Lines joined to paragraphs; items, rows, code lines and headings each for itself."""
    paragraph: list[str] = []
    kind = Kind.BLANK
    for found, line in _lines(text):
        joins = found is Kind.SENTENCE and kind in {Kind.SENTENCE, Kind.ITEM} and _continues(paragraph, line, kind)
        if paragraph and not joins:
            yield _Block(kind, "\n".join(paragraph))
            paragraph = []
        if not joins:
            kind = found
        if found is not Kind.BLANK:
            paragraph.append(line)
    if paragraph:
        yield _Block(kind, "\n".join(paragraph))


def _continues(paragraph: list[str], line: str, kind: Kind) -> bool:
    if kind is Kind.ITEM:
        return line.startswith((" ", "\t")) or line[:1].islower()
    return bool(paragraph) and not (_labelled(line) and paragraph[-1].rstrip().endswith((".", "!", "?", ":")))


def _lines(text: str) -> Iterator[tuple[Kind, str]]:
    lines = text.splitlines()
    fenced = False
    for line, before, after, following in zip(lines, ["", *lines], [*lines[1:], ""], _following(lines), strict=False):
        if _FENCE.match(line):
            fenced = not fenced
            yield Kind.BLANK, ""
        elif fenced:
            yield (Kind.CODE if line.strip() else Kind.BLANK), line
        elif _is_title(line.strip(), before.strip(), following, apart=not after.strip()):
            yield Kind.HEADING, line
        else:
            yield _line(line, before, after)


def _following(lines: list[str]) -> list[str]:
    """For each line the next one that is not blank."""
    found = [""]
    for line in reversed(lines):
        found.append(line.strip() or found[-1])
    return found[-2::-1]


def _line(line: str, before: str, after: str) -> tuple[Kind, str]:
    if _RULE.fullmatch(line):
        return Kind.BLANK, ""
    if match := _HEADING.match(line):
        return Kind.HEADING, line[match.end() :]
    if line.strip().startswith("|") or line.count(" | ") > 1:
        return Kind.ROW, line.strip().strip("|").strip()
    if match := _LIST.match(line):
        return Kind.ITEM, line[match.end() :]
    if _labelled(line) and all(not near.strip() or _labelled(near) for near in (before, after)):
        return Kind.ITEM, line.strip()
    return Kind.SENTENCE, line


def _labelled(line: str) -> bool:
    """A short `Name: value` line, which stands for itself."""
    bare = line.strip()
    return len(bare) <= _OPEN_LINE and bool(_LABELLED.match(bare)) and not bare.endswith((".", "!", "?"))


def _is_title(bare: str, above: str, following: str, *, apart: bool) -> bool:
    """A short line without a full stop that stands over what follows, as plain text shows a heading."""
    if not bare or not following or len(bare) > _TITLE_LENGTH or not bare[-1].isalnum() or "|" in bare:
        return False
    if not bare[0].isupper() or (above and not above.endswith((".", "!", "?"))) or _labelled(bare):
        return False
    begins_anew = following[0].isupper() or not following[0].isalpha()
    return begins_anew and (len(bare.split()) <= _TITLE_WORDS if apart else len(following) > len(bare))

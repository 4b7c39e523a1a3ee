"""The pieces of the PDF report as data, and its texts: printable, breakable where too long, in fonts that have them."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from mcp_server.toolsets.panels._exports.plain import clean
from mcp_server.toolsets.panels._exports.tables import Table
from mcp_server.toolsets.panels._report import Report

Block = dict[str, Any]
"""One piece of the report: its `kind` names a function of `report.typ`, which reads the rest."""

QUOTE_AT_MOST = 600
CELL_AT_MOST = 700
"""Characters. A row of a table must fit on a page."""

_REPORTS = TypeAdapter(Report)

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Among them what turns the direction of text, by which a persona could disguise one name as another. The joiners stay:
they shape Persian and Indic words, and emoji."""

# Scripts whose lines may end nearly anywhere are left out: Thai, Lao, Burmese, Khmer, Han, Kana, Hangul.
_LONG_WORD = re.compile(
    "[^\\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff]{24,}"
)
_KANA, _HANGUL = re.compile("[\u3041-\u30ff]"), re.compile("[\uac00-\ud7af]")
_IDEOGRAPHS = ("Kurinto Sans SC", "Kurinto Sans JP", "Kurinto Sans KR", "Kurinto Sans TC")


def printable(report: Report) -> Report:
    """The report with texts that can be printed."""
    read: Report = _REPORTS.validate_python(_mapped(_REPORTS.dump_python(report)))
    return read


def _mapped(value: Any) -> Any:
    if isinstance(value, str):
        return printed(value)
    if isinstance(value, list | tuple):
        return [_mapped(part) for part in value]
    return {name: _mapped(part) for name, part in value.items()} if isinstance(value, dict) else value


def printed(text: str) -> str:
    """`text` without invisible characters, and with places where a long word may be broken."""
    return _LONG_WORD.sub(_breakable, unicodedata.normalize("NFC", _INVISIBLE.sub("", clean(text).replace("\t", " "))))


def _breakable(word: re.Match[str]) -> str:
    """A zero-width space before each letter, but not before its accents or what it is joined to."""
    parts = [
        char if unicodedata.category(char)[0] == "M" or char in "\u200c\u200d" else f"\u200b{char}" for char in word[0]
    ]
    return "".join(parts).replace("\u200d\u200b", "\u200d")


def cut(text: str, longest: int) -> str:
    """At most `longest` characters, with their lines; what is longer ends with an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def isolated(name: str) -> str:
    """A name beside figures or another name: one that is read from the right would change places with them."""
    return f"\u2068{name}\u2069"


def fonts_for(text: str) -> list[str]:
    """Font families, the preferred first. The same ideographs are drawn otherwise in Japan and Korea."""
    first = "Kurinto Sans JP" if _KANA.search(text) else "Kurinto Sans KR" if _HANGUL.search(text) else _IDEOGRAPHS[0]
    return list(dict.fromkeys(["Source Sans 3", "Kurinto Sans", first, *_IDEOGRAPHS]))


def heading(text: str, level: int) -> Block:
    """It never stands at the end of a page."""
    return {"kind": "heading", "text": text, "level": level}


def paragraph(text: str, style: str = "body", *, sticky: bool = False) -> Block:
    """`style` is body, bold or note. A sticky one stays on one page with the beginning of what follows."""
    return {"kind": "paragraph", "text": text, "style": style, "sticky": sticky}


def note(text: str, *, sticky: bool = False) -> Block:
    """Small and grey."""
    return paragraph(text, "note", sticky=sticky)


def quotation(text: str, by: str | None) -> Block:
    """Somebody's own words."""
    return {"kind": "quotation", "text": f"“{cut(text, QUOTE_AT_MOST)}”", "by": by and f"— {by}"}


def table(made: Table, *, widths: Sequence[int] | None = None, strong: bool = False, prose: int | None = None) -> Block:
    """`widths`: of the columns, as parts of the page's. `strong`: the first row is bold, such as that of everyone.

    `prose`: the column whose texts begin on the side from which they are read; names stay on the left of theirs.
    """
    return {
        "kind": "table",
        "titles": list(made.titles),
        "rows": [[cut(cell, CELL_AT_MOST) for cell in row] for row in made.rows],
        "numbers": list(made.numbers),
        "widths": widths,
        "strong": strong,
        "prose": prose,
    }


def joined(facts: Sequence[str]) -> str:
    """Short facts in a row. A line may end between two, but not within one."""
    return "  · ".join(fact.replace(" ", "\xa0") for fact in facts)


def plural(count: int, one: str) -> str:
    """`1 answer`, `2 answers`, `1,200 answers`."""
    return f"{count:,} {one if count == 1 else one + 's'}"

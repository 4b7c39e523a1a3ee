"""What the PDF report is made from, as JSON: figures, tables and printable texts. `report.typ` lays them out."""

import json
import re
import unicodedata
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter

from mcp_server.toolsets.panels import charts
from mcp_server.toolsets.panels._aggregation.reading import failure
from mcp_server.toolsets.panels._exports import phrases, tables
from mcp_server.toolsets.panels._exports.phrases import clean, moment, one_line, shortened
from mcp_server.toolsets.panels._exports.tables import PARTIAL, Report, caveats, facts, methods, stated
from mcp_server.toolsets.panels._results import QuestionResult, Section
from mcp_server.toolsets.panels._study import Reply

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""For a report that does not say when it was made: equal reports make equal files."""

NOTHING = "no usable answers"
FIGURES = {"question", "type", "quotes", "agreements", "disagreements", "dissent"}

_REPORTS = TypeAdapter(Report)

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Among them what turns the direction of text, by which a persona could disguise one name as another. The joiners stay:
they shape Persian and Indic words, and emoji."""

# Scripts whose lines may end nearly anywhere are left out: Thai, Lao, Burmese, Khmer, Han, Kana, Hangul. A line may end
# at a hyphen, too, so that ids and times are copied as they are.
_LONG_WORD = re.compile(
    "[^\\s\\-\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff]{24,}"
)
_KANA, _HANGUL = re.compile("[\u3041-\u30ff]"), re.compile("[\uac00-\ud7af]")
_IDEOGRAPHS = ("Kurinto Sans SC", "Kurinto Sans JP", "Kurinto Sans KR", "Kurinto Sans TC")


def document(report: Report) -> bytes:
    """All that the template reads."""
    report = _REPORTS.validate_python(_printable(_REPORTS.dump_python(report)))
    # Isolated, a name that is read from the right does not change places with the figure beside it.
    groups = tuple(replace(group, name=f"\u2068{group.name}\u2069") for group in report.groups)
    made = {
        "title": shortened(report.panel, 160) or "Panel",
        "created": int((moment(report.generated_at) or EPOCH).timestamp()),
        "partial": PARTIAL if report.partial else None,
        "no_bar": charts.bar(0, 0),
        "facts": facts(replace(report, groups=groups)),
        "questions": [_question(section) for section in report.sections],
        "methods": [stated("directional"), *methods(report), stated("groups"), stated("shown")],
        "caveats": caveats(report),
    }
    fonts = fonts_for(json.dumps(made, ensure_ascii=False))
    return json.dumps({**made, "fonts": fonts}, ensure_ascii=False).encode()


def _question(section: Section) -> dict[str, Any]:
    result = section.result
    standings = tables.groups(result)
    ranked = sorted(result.differences, key=lambda one: (not one.clear, -abs(one.difference)))
    return {
        **result.model_dump(include=FIGURES),
        "kind": phrases.type_of(result),
        "n": result.overall.n,
        "standing": phrases.standing(result.overall),
        "circumstances": phrases.circumstances(result),
        "standings": {**asdict(standings), "numbers": list(standings.numbers)},
        "said": list(dict.fromkeys([*(caveat.message for caveat in result.caveats), *section.asked.notes])),
        "rows": _side_by_side(result),
        "axis": charts.axis(*ends) if (ends := charts.ends_of(result)) else "",
        "legend": charts.legend(result),
        "themes": _themes(result),
        "differences": asdict(replace(tables.differences(ranked), numbers=())),
        "clear": sum(one.clear for one in ranked),
        "replies": [_answer(reply) for reply in phrases.ordered(section.asked)],
    }


def _side_by_side(result: QuestionResult) -> list[dict[str, Any]]:
    """Whom charts show, with their figures and their charts."""
    rows = []
    for row in charts.side_by_side(result):
        facts, value = row.summary.scale, phrases.headline(row.summary)
        mean = phrases.shown(facts.mean) if facts else ""
        words = {
            "value": value or NOTHING if isinstance(value, str | None) else f"mean {mean}",
            "mean_words": f"{mean} ({phrases.span(facts.interval)})" if facts else NOTHING,
        }
        drawn = {name: getattr(row, name) for name in ("name", "headline", "columns", "mean", "stack", "bars")}
        rows.append({**row.summary.model_dump(include={"group", "n", "counts"}), **words, **drawn})
    return rows


def _themes(result: QuestionResult) -> list[dict[str, Any]]:
    found = [theme.model_dump() for theme in result.themes]
    for theme in found:
        theme["bar"] = charts.bar(theme["count"], theme["share"], is_strong=True)
        for one in theme["by_group"]:
            one["bar"] = charts.bar(one["count"], one["count"] / max(1, one["n"]))
    return found


def _answer(reply: Reply) -> list[str]:
    who = [reply.persona, *([reply.discipline] if reply.discipline and reply.discipline != reply.persona else [])]
    value = reply.value or phrases.NONE
    if reply.status != "answered":
        status = phrases.STATUSES[reply.status]
        reason = one_line(failure(reply) or (reply.value or "" if reply.status == "uncoded" else ""))
        value = f"{status}: {reason}" if reason and reason != status.lower() else status
    if reply.coded:
        value = f"{value} (coded by hand: {one_line(reply.coded)})"
    return [reply.group, "\n".join(who), value, reply.message]


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printed(value)
    if isinstance(value, list | tuple):
        return [_printable(part) for part in value]
    return {name: _printable(part) for name, part in value.items()} if isinstance(value, dict) else value


def printed(text: str) -> str:
    """`text` without invisible characters, and with places where a long word may be broken."""
    return _LONG_WORD.sub(_breakable, unicodedata.normalize("NFC", _INVISIBLE.sub("", clean(text).replace("\t", " "))))


def _breakable(word: re.Match[str]) -> str:
    """A zero-width space before each letter, but not before its accents or what it is joined to."""
    parts = [
        char if unicodedata.category(char)[0] == "M" or char in "\u200c\u200d" else f"\u200b{char}" for char in word[0]
    ]
    return "".join(parts).replace("\u200d\u200b", "\u200d")


def fonts_for(text: str) -> list[str]:
    """Font families, the preferred first. The same ideographs are drawn otherwise in Japan and Korea."""
    first = "Kurinto Sans JP" if _KANA.search(text) else "Kurinto Sans KR" if _HANGUL.search(text) else _IDEOGRAPHS[0]
    return list(dict.fromkeys(["Source Sans 3", "Kurinto Sans", first, *_IDEOGRAPHS]))

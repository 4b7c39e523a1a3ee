"""What the page of a question shows, worked out of what `get_panel_results` tells. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.console.wording import TABLES
from mcp_server.toolsets.panels import charts
from mcp_server.toolsets.panels.models import PanelResults

FEW = 0.5
CODABLE = frozenset({"uncoded", "declined"})
BY_HAND = CODABLE | {"failed", "timeout"}
KINDS = TABLES["questions"]


def result_values(found: Mapping[str, Any], group: str) -> dict[str, Any]:
    """The template's words for the first question in `found`, for everyone or for one `group` of it."""
    question = found["questions"][0]
    names = [each["group"] for each in question["groups"]]
    chosen = group if group in names else ""
    figures = PanelResults.model_validate(found).questions[0]
    drawn, ends = charts.side_by_side(figures), charts.ends_of(figures)
    shown = [each for each in drawn if not chosen or each.summary.group == chosen]
    compared = drawn if len(drawn) > 1 and not chosen else []
    answers = [one for one in question["answers"] if not chosen or question["by"] or one["group"] == chosen]
    return {
        "panel": found["panel"],
        "panel_id": found["panelId"],
        "question": question,
        "kind": kind_of(question),
        "names": names,
        "group": chosen,
        "summaries": [_summary(each) for each in (shown if question["overall"]["n"] else shown[:1])],
        "means": [each for each in compared if each.mean],
        "axis": charts.axis(*ends) if ends else "",
        "stacks": [each for each in compared if each.stack],
        "legend": charts.legend(figures),
        "why_few": [one["message"] for one in question["caveats"] if one["code"] in {"failed", "offline_engine"}],
        "is_few": question["status"] != "processing" and has_few(question["overall"]),
        "themes": _themes(question, chosen),
        "differences": [one for one in question["differences"] if chosen in ("", one["first"], one["second"])],
        "dissent": _of(question["dissent"], chosen),
        "quotes": _unseen_quotes(question, chosen),
        "answers": [one for one in answers if one["status"] not in BY_HAND],
        "by_hand": [one for one in answers if one["status"] in BY_HAND],
        "answers_omitted": question["answersOmitted"],
        "choices": _choices(question),
        "is_coded": any(one["themes"] for one in question["answers"]),
    }


def kind_of(question: Mapping[str, Any]) -> str:
    """The kind of question, with the ends of its scale."""
    span = question["scaleRange"]
    return f"{KINDS[question['type']]}{f' from {span[0]} to {span[1]}' if span else ''}"


def has_few(summary: Mapping[str, Any]) -> bool:
    """Whether so many gave no usable answer that this is the first thing to know."""
    return bool(summary["n"] < FEW * summary["members"])


def _summary(drawn: charts.Drawn) -> dict[str, Any]:
    """The figures of a group with their charts: columns of a scale, else a bar for each option, the longest first."""
    ranked = sorted(drawn.summary.counts, key=lambda one: -one.count) if drawn.summary.n else []
    rows = [{**dict(one), "bar": drawn.bars[one.value]} for one in ranked if one.value in drawn.bars]
    return {**dict(drawn.summary), "name": drawn.name, "chart": drawn.columns, "rows": rows}


def _themes(question: Mapping[str, Any], group: str) -> list[dict[str, Any]]:
    """Those that the group speaks of, with a bar for its share."""
    shown = []
    for theme in question["themes"]:
        mine = next((one for one in theme["byGroup"] if one["group"] == group), None)
        count = theme["count"] if mine is None else mine["count"]
        share = theme["share"] if mine is None else mine["count"] / max(1, mine["n"])
        if count:
            shown.append({**theme, "count": count, "share": share, "bar": charts.bar(count, share)})
    return shown


def _choices(question: Mapping[str, Any]) -> Sequence[str]:
    """What an answer can be coded as, unless it is a number of the scale."""
    if question["type"] == "qualitative":
        return [*(theme["label"] for theme in question["themes"]), "Other", "No view"]
    offered: list[str] = question["options"]
    return offered or [one["value"] for one in question["overall"]["counts"]]


def _unseen_quotes(question: Mapping[str, Any], group: str) -> list[dict[str, Any]]:
    """Quotes that do not stand with a theme or with who sees it otherwise."""
    seen = {theme["quote"]["text"] for theme in question["themes"] if theme["quote"]}
    seen |= {voice["quote"] for voice in question["dissent"]}
    return [one for one in _of(question["quotes"], group) if one["text"] not in seen]


def _of(voices: Sequence[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    return [one for one in voices if not group or one["group"] == group]

"""What the page of a question shows, worked out of what `get_panel_results` tells. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from app.console import charts

FAILED = frozenset({"RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CIRCUIT_BREAKER_OPEN"})
"""Refusals that a later try may not meet."""

EVERYONE = "Everyone"
FEW = 0.5
CODABLE = frozenset({"uncoded", "declined"})
BY_HAND = CODABLE | {"failed", "timeout"}
KINDS = {
    "scale": "Scale",
    "categorical": "One choice",
    "multiselect": "Several choices",
    "qualitative": "Open question",
}


def result_values(found: Mapping[str, Any], group: str) -> dict[str, Any]:
    """The template's words for the first question in `found`, for everyone or for one `group` of it."""
    question = found["questions"][0]
    names = [each["group"] for each in question["groups"]]
    chosen = group if group in names else ""
    shown = [each for each in (question["overall"], *question["groups"]) if not chosen or each["group"] == chosen]
    if len(names) == 1 or not question["overall"]["n"]:
        shown = shown[:1]  # the group is everyone, or there is nothing to compare
    answers = [one for one in question["answers"] if not chosen or question["by"] or one["group"] == chosen]
    return {
        "panel": found["panel"],
        "panel_id": found["panelId"],
        "question": question,
        "kind": kind_of(question),
        "names": names,
        "group": chosen,
        "summaries": [_summary(question, each) for each in shown],
        "means": _means(question),
        "why_few": [one["message"] for one in question["caveats"] if one["code"] == "failed"],
        "is_few": question["status"] != "processing" and has_few(question["overall"]),
        "themes": _themes(question, chosen),
        "differences": [each for each in question["differences"] if not chosen or chosen in _pair(each)],
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
    return KINDS[question["type"]] + (f" from {span[0]} to {span[1]}" if span else "")


def has_few(summary: Mapping[str, Any]) -> bool:
    """Whether so many gave no usable answer that this is the first thing to know."""
    return bool(summary["n"] < FEW * summary["members"])


def _summary(question: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """A group with the charts of its answers: columns for a scale, else a bar for each option."""
    name = summary["group"] or EVERYONE
    rows: list[dict[str, Any]] = []
    chart = Markup()
    if question["type"] == "scale" and question["scaleRange"] and summary["n"]:
        counts = [(one["value"], one["count"]) for one in summary["counts"]]
        chart = charts.columns(f"How {name} answered", charts.points(question["scaleRange"], counts))
    elif question["type"] != "qualitative" and summary["n"]:
        ranked = sorted(summary["counts"], key=lambda one: -one["count"])
        rows = [{**one, "bar": charts.bar(_percent(one), one["share"], _ends(one["interval"]))} for one in ranked]
    return {**summary, "name": name, "chart": chart, "rows": rows}


def _means(question: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Means beside each other on the whole scale, where there are several groups with one."""
    low, high = question["scaleRange"] or (0, 0)
    found = [each for each in question["groups"] if each["scale"]]
    return [
        {
            "name": each["group"],
            "n": each["n"],
            "mean": each["scale"]["mean"],
            "interval": each["scale"]["interval"],
            "bar": charts.bar(
                f"{each['scale']['mean']:.2f} on a scale from {low} to {high}",
                charts.placed(each["scale"]["mean"], low, high),
                _ends(each["scale"]["interval"], low, high),
            ),
        }
        for each in (found if len(found) > 1 and high > low else ())
    ]


def _themes(question: Mapping[str, Any], group: str) -> list[dict[str, Any]]:
    """Those that the group speaks of, with a bar for its share."""
    shown = []
    for theme in question["themes"]:
        mine = next((one for one in theme["byGroup"] if one["group"] == group), None)
        count = theme["count"] if mine is None else mine["count"]
        share = theme["share"] if mine is None else mine["count"] / max(1, mine["n"])
        if count:
            told = {"count": count, "share": share}
            shown.append({**theme, **told, "bar": charts.bar(_percent(told), share)})
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


def _pair(difference: Mapping[str, Any]) -> tuple[str, str]:
    return difference["first"], difference["second"]


def _percent(counted: Mapping[str, Any]) -> str:
    found = counted.get("interval")
    ends = f", 95 % interval from {found['low']:.0%} to {found['high']:.0%}" if found else ""
    return f"{counted['share']:.0%} of the answers ({counted['count']}){ends}".replace("%", " %").replace("  ", " ")


def _ends(interval: Mapping[str, Any] | None, low: float = 0, high: float = 1) -> tuple[float, float] | None:
    if interval is None:
        return None
    return charts.placed(interval["low"], low, high), charts.placed(interval["high"], low, high)

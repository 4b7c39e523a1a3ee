"""Replies and questions for the tests of the aggregation."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_server.toolsets.panels._study import AskedQuestion, Mark, Reply

ANSWERS = Path(__file__).with_name("answers.csv")
"""300 answers to four questions, 75 each, from three groups; f01 to f05 are in two of them.

`counts_as` is what a person reads in `value`, several things parted by `|`, "nothing" where no option was wanted and
empty where the answer cannot be counted. `which` was told without ids for the five who are in two groups.
"""

QUESTIONS: dict[str, dict[str, Any]] = {
    "rate": {"text": "How likely are you to recommend it?", "type": "scale", "scale": (1, 10)},
    "which": {
        "text": "Which of these counts most for you?",
        "type": "categorical",
        "options": ("Price", "Quality", "Service", "Brand"),
    },
    "use": {
        "text": "Which of these would you use?",
        "type": "multiselect",
        "options": ("Chat", "Reports, weekly", "Exports", "Alerts"),
    },
    "improve": {"text": "What should we improve?", "type": "qualitative", "coded_by": "model"},
}


def question(name: str) -> AskedQuestion:
    """One of the four questions of the file."""
    groups = ("Founders", "Students", "Retirees")
    replies = tuple(_reply(row) for row in rows() if row["question"] == name)
    return AskedQuestion(id=name, groups=groups, replies=replies, **QUESTIONS[name])


def rows() -> list[dict[str, str]]:
    with ANSWERS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _reply(row: Mapping[str, str]) -> Reply:
    return Reply(
        persona=row["persona"],
        group=row["group"],
        persona_id=row["persona_id"] or None,
        status=row["status"],  # type: ignore[arg-type]  # the file holds the known words only
        value=row["value"] or None,
        message=row["message"],
        sentiment=float(row["sentiment"]) if row["sentiment"] else None,
        codes=marks(row["counts_as"], "|") if row["question"] == "improve" and row["counts_as"] else None,
    )


def marks(labels: str, separator: str = ";") -> tuple[Mark, ...]:
    """The codes of these labels."""
    named = [label.strip() for label in labels.split(separator) if label.strip()]
    return tuple(Mark(label.casefold(), label) for label in named)


def coded(asked: AskedQuestion) -> AskedQuestion:
    """As if a model had coded each answer with the labels of its value."""
    given = [replace(reply, codes=marks(reply.value or "")) for reply in asked.replies]
    return replace(asked, coded_by="model", replies=tuple(given))


def replies(values: Iterable[str | None], group: str = "Founders", **more: Any) -> tuple[Reply, ...]:
    """One answered reply for each value, from personas of their own."""
    return tuple(
        Reply(
            **{
                "persona": f"{group} {number}",
                "persona_id": f"{group}-{number}",
                "group": group,
                "value": value,
                "message": f"I say {value}, and mean it.",
                **more,
            }
        )
        for number, value in enumerate(values, start=1)
    )


def scale(*each: tuple[Reply, ...], top: int = 10) -> AskedQuestion:
    """A rating from 1 to `top` by the given groups."""
    return AskedQuestion(id="q", text="How good is it?", type="scale", scale=(1, top), replies=sum(each, ()))


def choice(*each: tuple[Reply, ...], options: tuple[str, ...] = ("Price", "Quality", "Service")) -> AskedQuestion:
    """One option of several."""
    return AskedQuestion(id="q", text="Which one?", type="categorical", options=options, replies=sum(each, ()))


def several(*each: tuple[Reply, ...], options: tuple[str, ...] = ("Price", "Quality", "Service")) -> AskedQuestion:
    """Any number of options."""
    return AskedQuestion(id="q", text="Which ones?", type="multiselect", options=options, replies=sum(each, ()))


def open_question(*each: tuple[Reply, ...], text: str = "What should we improve?", **more: Any) -> AskedQuestion:
    """A qualitative question."""
    return AskedQuestion(id="q", text=text, type="qualitative", replies=sum(each, ()), **more)

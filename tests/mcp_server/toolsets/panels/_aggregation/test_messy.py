"""Replies as people and models write them: nearly all that can be read are, none wrongly, and none is lost."""

import io
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from csv import DictReader
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.numbers import number
from mcp_server.toolsets.panels._aggregation.reading import options_of, settled, written
from mcp_server.toolsets.panels._exports.data import comma_separated, json_text
from mcp_server.toolsets.panels._exports.markdown import markdown
from mcp_server.toolsets.panels._exports.pdf import document
from mcp_server.toolsets.panels._exports.tables import Report
from mcp_server.toolsets.panels._exports.workbook import workbook
from mcp_server.toolsets.panels._results import Section
from mcp_server.toolsets.panels._study import AskedQuestion, Reply

MESSY: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("messy.toml").read_text(encoding="utf-8"))
QUESTIONS = {
    "ten": AskedQuestion("q", "How good is it?", "scale", scale=(1, 10)),
    "hundred": AskedQuestion("q", "How likely is it?", "scale", scale=(0, 100)),
    "choice": AskedQuestion("q", "?", "categorical", options=("Free", "Pro", "Team (up to 10 seats)", "Enterprise")),
    "several": AskedQuestion(
        "q", "?", "multiselect", options=("price", "location", "opening hours", "staff, service", "parking")
    ),
}
ENOUGH = 0.95
COUNTS = ("n", "declined", "uncoded", "failed", "pending")


def read(kind: str, said: str, *, as_message: bool = False) -> tuple[str, str]:
    """Status and value, whether the reply came as a value or as the persona's words."""
    asked = QUESTIONS[kind]
    came = Reply("Ada", "All", message=said) if as_message else Reply("Ada", "All", value=said)
    reply, reading = settled(asked, options_of(asked, ()), came)
    return reply.status, "; ".join(reading.choices) if reading.number is None else written(reading.number)


@pytest.mark.parametrize("as_message", [False, True])
@pytest.mark.parametrize("kind", QUESTIONS)
def test_nearly_all_that_a_person_could_read_is_read_and_nothing_wrongly(kind: str, as_message: bool) -> None:
    found = {said: read(kind, said, as_message=as_message) for said in MESSY[kind]}
    codable = {said: value for said, value in MESSY[kind].items() if value not in {"?", "no view"}}

    assert len(MESSY[kind]) == 48
    wrong = {said: one for said, one in found.items() if one[0] == "answered" and codable.get(said) != one[1]}
    assert not wrong
    assert sum(found[said][0] == "answered" for said in codable) >= ENOUGH * len(codable)
    unread = {said: value for said, value in MESSY[kind].items() if said not in codable}
    names = {"?": "uncoded", "no view": "declined"}
    assert {said: found[said][0] for said in unread} == {said: names[value] for said, value in unread.items()}


WORDS_OF_NUMBERS = {
    "en": {0: "zero", 7: "seven", 13: "thirteen", 21: "twenty-one", 75: "seventy five", 100: "one hundred"},
    "de": {7: "sieben", 16: "sechzehn", 21: "einundzwanzig", 55: "fünfundfünfzig", 100: "hundert"},
    "fr": {7: "sept", 19: "dix-neuf", 21: "vingt et un", 71: "soixante et onze", 80: "quatre-vingts",
           85: "quatre-vingt-cinq", 97: "quatre-vingt-dix-sept", 92: "nonante-deux", 100: "cent"},
    "es": {7: "siete", 16: "dieciséis", 22: "veintidós", 31: "treinta y uno", 99: "noventa y nueve", 100: "cien"},
}  # fmt: skip


@pytest.mark.parametrize("language", WORDS_OF_NUMBERS)
def test_numbers_in_words_are_read_in_four_languages(language: str) -> None:
    assert {number(said, (0, 100)): said for said in WORDS_OF_NUMBERS[language].values()} == WORDS_OF_NUMBERS[language]


OTHER_THINGS = (
    "I have 3 children and 2 cars.", "Since 2019 I have paid 7 euros a month.", "My colleague gives it a 9.",
    "It used to be an 8.", "9 if it were cheaper", "In version 3 it got worse.", "Call me at 7:30.", "It costs $5.",
    "One of the best.", "I tried it once.", "It is small [2].", "Half of us like it.",
    "I was number 4 in line.", "It is not even a 3.", "Two hundred",
    "5 years ago I'd have said 9.", "seven point five times", "Once", "7, 8, whatever", "Not once did it fail 5 times.",
)  # fmt: skip


@pytest.mark.parametrize("said", OTHER_THINGS)
def test_a_number_that_counts_something_else_is_no_rating(said: str) -> None:
    assert number(said, (1, 10)) is None


OPEN = AskedQuestion("q", "What should we improve?", "qualitative")
REFUSALS = (
    "As an AI language model, I don't have personal opinions, but many users mention the price and the support.",
    "I'm sorry, but I cannot answer that.", "N/A", "I have no opinion on this.", "Dazu habe ich keine Meinung",
    "Als KI-Sprachmodell habe ich keine eigene Meinung.", "Je n'ai pas d'avis.", "No tengo opinión.", "No lo sé.",
    "Das kann ich nicht beurteilen.", "Je ne peux pas répondre.", "I don't know.", "[[NOTHING]]",
    "no idea, really", "Keine Ahnung, ehrlich gesagt.", "Ni idea.", "Aucune idée, désolé.",
)  # fmt: skip
VIEWS = (
    "As an AI engineer, I do not like that the model cannot be changed.", "I cannot praise it enough.", "Nothing.",
    "No idea is more important than a quiet room.", "No idea why this costs so much.",
    "I don't know why support takes three days, and it should not.", "No answer from support for a week.",
    "Je ne sais pas pourquoi c'est si cher.", "I have no opinion on the price, but support is slow.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "status"), [(one, "declined") for one in REFUSALS] + [(one, "answered") for one in VIEWS]
)
def test_a_refusal_is_no_view_and_a_view_is_no_refusal(said: str, status: str) -> None:
    reply = Reply("Ada", "All", value="Label", message=said, sentiment=-0.5)

    found, _ = settled(OPEN, options_of(OPEN, ()), reply)

    assert (found.status, found.sentiment) == (status, -0.5 if status == "answered" else None)
    assert settled(OPEN, options_of(OPEN, ()), replace(reply, coded="Ada, 2026"))[0].status == "answered"


statuses = st.sampled_from(["answered", "answered", "uncoded", "declined", "failed", "timeout"])
said = st.sampled_from([text for texts in MESSY.values() for text in texts] + [*REFUSALS, *VIEWS, ""])
replies = st.lists(
    st.tuples(st.sampled_from(["North", "South"]), statuses, said, st.booleans()), min_size=1, max_size=24
)


def report_of(asked: AskedQuestion, given: list[tuple[str, str, str, bool]]) -> Report:
    answers = tuple(
        Reply(f"P{number}", group, f"p-{number}", group, status=status, **{"value" if short else "message": text})  # type: ignore[arg-type]  # known words
        for number, (group, status, text, short) in enumerate(given)
    )
    question = replace(asked, groups=("North", "South"), replies=answers)
    return Report("panel", "Panel", (), (Section(question, aggregate(question)),), "2026-11-21T14:45:00Z")


Counts = Mapping[str, tuple[int, ...]]


def counts_of(report: Report) -> Counts:
    """Of everyone and each group: who was asked, and the parts of them."""
    result = report.sections[0].result
    each = (result.overall, *result.groups)
    return {one.group or "Everyone": (one.members, *(getattr(one, name) for name in COUNTS)) for one in each}


def in_csv(report: Report) -> Counts:
    rows = [*DictReader(io.StringIO(comma_separated(report, bom=False).decode(), newline=""))]
    found = {}
    for name in ("Everyone", *report.sections[0].asked.groups):
        states = Counter(row["Status"] for row in rows if name in {row["Group"], "Everyone"})
        ended = (states["answered"], states["declined"], states["uncoded"], states["failed"] + states["timeout"], 0)
        found[name] = (sum(states.values()), *ended)
    return found


def in_json(report: Report) -> Counts:
    question = json.loads(json_text(report))["questions"][0]
    each = (question["overall"], *question["groups"])
    return {one["group"] or "Everyone": (one["members"], *(one[count] for count in COUNTS)) for one in each}


def in_markdown(report: Report) -> Counts:
    table = markdown(report).decode().partition("### By group")[2].strip().partition("\n\n")[0]
    return _in_rows([line.strip("| ").split(" | ") for line in table.splitlines()[2:]])


def in_pdf(report: Report) -> Counts:
    return _in_rows(json.loads(document(report))["questions"][0]["standings"]["rows"])


def in_workbook(report: Report) -> Counts:
    cells = [[cell.value for cell in row] for row in load_workbook(io.BytesIO(workbook(report))).worksheets[1].rows]
    head = next(place for place, row in enumerate(cells) if row[:3] == ["Group", "Asked", "Usable (n)"])
    groups = cells[head + 1 : head + 2 + len(report.sections[0].asked.groups)]
    return {str(row[0]): tuple(row[1:7]) for row in groups}


def _in_rows(rows: list[list[str]]) -> Counts:
    return {row[0]: (*(int(cell) for cell in row[1:6]), 0) for row in rows}


EXPORTS = {"csv": in_csv, "json": in_json, "md": in_markdown, "pdf": in_pdf, "xlsx": in_workbook}


@pytest.mark.parametrize("format", EXPORTS)
@settings(max_examples=15, deadline=None)
@given(st.sampled_from([*QUESTIONS.values(), OPEN]), replies)
def test_everybody_who_was_asked_is_in_one_count_of_every_group_and_export(
    format: str, asked: AskedQuestion, given: list[tuple[str, str, str, bool]]
) -> None:
    report = report_of(asked, given)

    counts = counts_of(report)

    members = Counter(group for group, *_ in given)
    assert {name: found[0] for name, found in counts.items()} == {
        "Everyone": len(given), "North": members["North"], "South": members["South"],
    }  # fmt: skip
    assert all(asked == sum(parts) for asked, *parts in counts.values())
    assert EXPORTS[format](report) == counts

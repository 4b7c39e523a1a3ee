"""The JSON export obeys its published schema, and holds everything."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from mcp_server.toolsets.panels._exports.data import SCHEMA_ID, PanelExport, exported, json_text
from mcp_server.toolsets.panels._results import Report
from tests.mcp_server.toolsets.panels._exports.schema import PUBLISHED, rendered
from tests.mcp_server.toolsets.panels.reports import KINDS, big_report, empty_report, report_of, report_with

SCHEMA = json.loads(PUBLISHED.read_text(encoding="utf-8"))


def read(report: Report) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json_text(report))
    return data


def test_the_published_schema_is_the_one_of_the_models() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == rendered(), (
        "publish it with `python -m tests.mcp_server.toolsets.panels._exports.schema`"
    )
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("report", [big_report(), report_of(), empty_report(), replace(report_of(), partial=True)])
def test_every_export_obeys_the_schema_and_names_it(report: Report) -> None:
    data = read(report)

    Draft202012Validator(SCHEMA).validate(data)
    assert data["$schema"] == SCHEMA["$id"] == SCHEMA_ID
    assert data["schemaVersion"] == "1.0"


def test_the_schema_is_closed_and_asks_for_every_field() -> None:
    validator = Draft202012Validator(SCHEMA)
    data = read(report_of())

    assert not validator.is_valid({**data, "more": 1})
    for name in data:
        assert not validator.is_valid({key: value for key, value in data.items() if key != name})
    assert all(each["additionalProperties"] is False for each in SCHEMA["$defs"].values() if each["type"] == "object")


def test_every_reply_is_there_also_where_the_result_holds_the_first_few_only() -> None:
    report = big_report()
    data = read(report)

    for question, section in zip(data["questions"], report.sections, strict=True):
        assert len(section.result.answers) < len(section.asked.replies)
        assert {reply["personaId"]: reply["message"] for reply in question["replies"]} == {
            reply.persona_id: reply.message for reply in section.asked.replies
        }
        assert "answers" not in question


def test_the_figures_are_those_of_the_result_to_the_last_digit() -> None:
    report = report_of()

    for question, section in zip(read(report)["questions"], report.sections, strict=True):
        figures = section.result.model_dump(mode="json", by_alias=True, exclude={"answers", "answers_omitted"})
        assert {name: question[name] for name in figures} == figures


def test_half_a_character_does_not_break_the_file() -> None:
    data = read(report_with(["half \ud83d pair"], kinds=KINDS[:1]))

    assert data["questions"][0]["replies"][0]["message"] == "half ? pair"


def test_what_was_written_can_be_read_into_the_model_again() -> None:
    report = report_of()

    assert PanelExport.model_validate_json(json_text(report)) == exported(report)
    with pytest.raises(ValidationError):
        PanelExport.model_validate_json(json_text(report).replace(b'"1.0"', b'"2.0"'))


def test_the_groups_of_today_and_their_members_are_there() -> None:
    groups = read(report_of())["panel"]["groups"]

    assert [len(group["members"]) for group in groups] == [4, 4, 4]
    assert groups[0]["members"][0] == {"id": "p-0", "name": "Mia Okafor", "discipline": "Student"}

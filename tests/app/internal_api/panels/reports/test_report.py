"""How much of a report is wanted decides whose words are shown."""

import pytest

from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.report import Report, quoted, unanswered
from tests.app.internal_api.panels.reports.reports import SCALE, report
from tests.app.internal_api.panels.rows import answer, question

LOUD = [answer("Price", position=number, sentiment=number / 10 * (-1) ** number) for number in range(5)]
GROUP = study_output(question(), [*LOUD, answer(None, position=5)]).audiences[0]


@pytest.mark.parametrize(
    ("kind", "length", "shown"),
    [
        ("executive_brief", "short", []),
        ("executive_brief", "standard", [4]),
        ("executive_brief", "detailed", [4, 3]),
        ("full_report", "short", [4]),
        ("full_report", "standard", [4, 3, 2]),
        ("full_report", "detailed", [4, 3, 2, 1, 0]),
        ("raw_data", "short", [0, 1, 2, 3, 4]),
    ],
)
def test_the_strongest_voices_come_first_and_raw_data_holds_all(kind: str, length: str, shown: list[int]) -> None:
    found = quoted(report(kind=kind, length=length), GROUP)

    assert [each.persona for each in found] == [f"Mind {number}" for number in shown]


def test_who_did_not_answer_is_known() -> None:
    assert [each.persona for each in unanswered(GROUP)] == ["Mind 5"]


def test_a_report_comes_out_of_json_as_it_went_in() -> None:
    one = report(SCALE)

    assert Report.model_validate_json(one.model_dump_json(by_alias=True)) == one

"""What the page of a question shows: the very charts of the PDF report."""

import json
from typing import Any

import pytest

from app.console.results import result_values
from mcp_server.toolsets.panels._exports.pdf import document
from mcp_server.toolsets.panels.models import PanelResults
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of(groups=2, each=10, texts=["Quick."])


@pytest.mark.parametrize("at", range(4))
def test_the_page_shows_the_charts_of_the_report(at: int) -> None:
    result = REPORT.sections[at].result
    told = PanelResults(panel_id="p", panel="P", groups=[], questions=[result], omitted=0, next_step="")
    page = result_values(json.loads(told.model_dump_json(by_alias=True)), "")

    report: dict[str, Any] = json.loads(document(REPORT))["questions"][at]

    assert [one["chart"] for one in page["summaries"]] == [row["columns"] for row in report["rows"]]
    assert [one.mean for one in page["means"]] == [row["mean"] for row in report["rows"] if row["mean"]]
    assert [one.stack for one in page["stacks"]] == [row["stack"] for row in report["rows"] if row["stack"]]
    assert page["axis"] == report["axis"]
    for one, row in zip(page["summaries"], report["rows"], strict=True):
        assert {each["value"]: each["bar"] for each in one["rows"]} == row["bars"]

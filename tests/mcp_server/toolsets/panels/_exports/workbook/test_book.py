"""The workbook as a file: valid, harmless, and the same for the same report."""

from dataclasses import replace
from datetime import datetime
from xml.etree import ElementTree as ET

from mcp_server.toolsets.panels._exports.workbook.book import workbook
from tests.mcp_server.toolsets.panels._exports.workbook.reading import opened, parts
from tests.mcp_server.toolsets.panels.reports import HOSTILE, KINDS, PLAIN, big_report, report_of

EVERYTHING = workbook(big_report())


def test_every_part_is_xml_and_another_program_reads_it() -> None:
    for name, text in parts(EVERYTHING).items():
        assert ET.fromstring(text) is not None, name

    assert opened(EVERYTHING).sheetnames[0] == "Summary"
    assert len(opened(EVERYTHING).sheetnames) == 7


def test_equal_reports_give_equal_bytes() -> None:
    assert workbook(big_report()) == EVERYTHING


def test_it_was_made_when_the_report_was() -> None:
    assert opened(EVERYTHING).properties.created == datetime(2026, 11, 21, 14, 45)  # noqa: DTZ001 - as Excel keeps it
    assert workbook(replace(report_of(), generated_at="?")) == workbook(replace(report_of(), generated_at="?"))


def test_nothing_in_it_is_calculated_and_nothing_leads_outside() -> None:
    files = parts(EVERYTHING)
    sheets = {name: text for name, text in files.items() if name.startswith("xl/worksheets/sheet")}

    assert [name for name, text in sheets.items() if "<f>" in text or "<f " in text] == []
    assert [name for name, text in files.items() if 'TargetMode="External"' in text] == []


def test_names_of_panels_questions_options_and_groups_are_harmless_too() -> None:
    report = report_of(groups=1, each=2, panel=HOSTILE[0], kinds=[replace(KINDS[1], text=HOSTILE[0], options=HOSTILE)])
    marked = report_of(groups=1, each=2, panel="<r>", kinds=[replace(KINDS[1], text="<r><x></r>")])

    assert "<f>" not in "".join(text for name, text in parts(workbook(report)).items() if "worksheets" in name)
    assert [ET.fromstring(text).tag for text in parts(workbook(marked)).values()] != []


def test_all_scripts_survive() -> None:
    said = {row[-1] for row in opened(workbook(report_of()))["Answers"].iter_rows(values_only=True)}

    assert set(PLAIN) <= said

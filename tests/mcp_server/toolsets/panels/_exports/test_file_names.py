"""A name for a file that every file system takes."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.file_names import file_name
from tests.mcp_server.toolsets.panels.reports import empty_report

REPORT = empty_report()


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_panel_gives_a_name_that_windows_and_headers_take(panel: str) -> None:
    name = file_name(replace(REPORT, panel=panel), "csv")

    assert re.fullmatch(r"panel(-[A-Za-z0-9]+)*-2026-11-21\.csv", name)
    assert len(name) <= 110


@pytest.mark.parametrize(
    ("panel", "name"),
    [
        ("Pricing — Frühjahr 2026", "panel-Pricing-Fruhjahr-2026-2026-11-21.pdf"),
        ("Straße / Łódź", "panel-Strasse-Lodz-2026-11-21.pdf"),
        ("上海", "panel-2026-11-21.pdf"),
        ("", "panel-2026-11-21.pdf"),
        ("CON", "panel-CON-2026-11-21.pdf"),
        ("../../etc/passwd", "panel-etc-passwd-2026-11-21.pdf"),
        (".hidden\x00\r\n", "panel-hidden-2026-11-21.pdf"),
    ],
)
def test_the_name_of_the_panel_can_be_recognised(panel: str, name: str) -> None:
    assert file_name(replace(REPORT, panel=panel), "pdf") == name


def test_without_a_readable_time_there_is_no_date() -> None:
    assert file_name(replace(REPORT, panel="A", generated_at="?"), "md") == "panel-A.md"

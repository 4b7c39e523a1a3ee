"""The words of other systems, escaped as these want it."""

import re
from datetime import UTC, datetime

import orjson
from hypothesis import given
from hypothesis import strategies as st

from app.audit.formats import FORMATS, as_cef, as_jsonl, cef_severity
from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from tests.auditing import KEY, NAME

AT = datetime(2026, 11, 20, 9, 0, 0, 123_000, UTC).timestamp()


def told(event: Event = Event.TOOL_FAILURE, **more: object) -> dict[str, object]:
    known = {"outcome": "refused", "subject": "ada", "client": "c", "address": "203.0.113.7", "time": AT}
    return dict(Chain(NAME, KEY).add(Entry(event, **(known | more))).told)  # type: ignore[arg-type]  # a test's own


def extension(line: str) -> dict[str, str]:
    """As a reader of CEF takes it apart: a value ends before the next name that is followed by a plain `=`."""
    body = re.split(r"(?<!\\)\|", line, maxsplit=7)[7]
    found = re.findall(r"(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)", body)
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in found}


def test_cef_names_who_from_where_and_what() -> None:
    line = as_cef(told(tool="say", request="r-1", reason="TIMEOUT"), "f" * 64)

    assert line.startswith("CEF:0|minds-gateway|minds-gateway|")
    found = extension(line)
    assert (found["suid"], found["src"], found["act"]) == ("ada", "203.0.113.7", "say")
    assert extension(line)["rt"] == str(round(AT * 1000))


@given(st.text(alphabet="a|=\\\n\r \u00e9"))
def test_nothing_in_a_value_makes_another_field_of_cef(reason: str) -> None:
    line = as_cef(told(reason=f"x{reason}x"), "f" * 64)

    assert "\n" not in line
    assert extension(line)["src"] == "203.0.113.7"


def test_what_looks_like_theft_is_severe() -> None:
    severities = [cef_severity(told(event)) for event in (Event.TOKEN_REUSED, Event.AUTH_FAILURE)]

    assert severities == [8, 5]
    assert cef_severity(told(Event.SIGN_IN, outcome="ok")) == 3


def test_a_line_of_json_is_the_row_as_it_is_kept() -> None:
    row = Chain(NAME, KEY).add(Entry(Event.SIGN_IN, time=AT))

    assert orjson.loads(as_jsonl(row.told, row.hash)) == orjson.loads(row.line)
    assert sorted(FORMATS) == ["cef", "jsonl"]

"""The small files that every site is asked for."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.http.well_known import security_text
from tests.edge import SITE, Edge, running, settings_for

NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
NAMES = re.compile(r"uvicorn|starlette|python|httptools|\d+\.\d+\.\d+", re.IGNORECASE)


@pytest.mark.security("HD-07")
async def test_where_somebody_is_named_to_report_to_security_txt_says_so(tmp_path: Path) -> None:
    contacts = "mailto:security@example.com, https://example.com/report"
    async with running(settings_for(tmp_path, security_contact=contacts)) as edge:
        answer = await edge.client.get("/.well-known/security.txt")

    fields = [line.partition(": ") for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert [value for name, _, value in fields if name == "Contact"] == contacts.split(", ")
    expires = datetime.fromisoformat(next(value for name, _, value in fields if name == "Expires"))
    assert timedelta(days=1) < expires - datetime.now(UTC) < timedelta(days=365)
    assert not NAMES.search(answer.text.replace(SITE, ""))


@pytest.mark.security("HD-07")
async def test_without_a_contact_there_is_no_security_txt(edge: Edge) -> None:
    assert (await edge.client.get("/.well-known/security.txt")).status_code == 404


@pytest.mark.security("HD-07")
async def test_robots_are_sent_away_and_there_is_no_icon_and_no_software_is_named(edge: Edge) -> None:
    robots, icon = await edge.client.get("/robots.txt"), await edge.client.get("/favicon.ico")

    assert robots.text == "User-agent: *\nDisallow: /\n"
    assert (icon.status_code, icon.content) == (204, b"")
    for answer in (robots, icon):
        assert not NAMES.search(str(dict(answer.headers)).replace(answer.headers["x-request-id"], ""))
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_it_holds_for_less_than_a_year_and_says_where_it_belongs() -> None:
    text = security_text("https://mcp.example.com", ["tel:+49-1"], NOW)

    assert "Expires: 2027-02-18T00:00:00Z\n" in text
    assert "Canonical: https://mcp.example.com/.well-known/security.txt\n" in text

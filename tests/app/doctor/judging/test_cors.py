"""What a page may send and read."""

from typing import Any

import pytest

from app.doctor.exchanges import Exchange
from app.doctor.judging.cors import cors
from app.doctor.requests import MCP_HEADERS
from tests.app.doctor.examples import answer, healthy, played, profile, refusal, told

OPEN: dict[str, Any] = {"access_control_allow_origin": "*"}
INSPECTOR = profile("inspector")


def preflight(**headers: Any) -> Exchange:
    return answer(204, method="OPTIONS", **OPEN, **headers)


def test_only_pages_are_bound_by_it() -> None:
    assert told(cors(profile("cursor"), healthy())) == [("CORS", "skipped")]


def test_an_open_gateway_is_fine() -> None:
    asked = {
        "MCP endpoint": preflight(access_control_allow_headers=MCP_HEADERS),
        "resource metadata, read": answer(**OPEN),
    }

    assert told(cors(INSPECTOR, healthy(preflights=asked))) == [("CORS", "ok")]


@pytest.mark.parametrize(
    "asked",
    [
        {"MCP endpoint": answer(401, method="OPTIONS", **OPEN)},
        {"token endpoint": answer(204, method="OPTIONS")},
        {"MCP endpoint": preflight(access_control_allow_headers="*")},
        {"MCP endpoint": preflight(access_control_allow_headers="authorization, content-type")},
        {"server metadata, read": answer(200)},
    ],
)
def test_what_a_browser_would_stop_fails(asked: dict[str, Any]) -> None:
    assert told(cors(INSPECTOR, healthy(preflights=asked))) == [("CORS", "failed")]


def test_an_origin_that_is_not_listed_says_nothing_about_preflights() -> None:
    mine = played("inspector", with_origin=answer(403))
    asked = {"MCP endpoint": answer(400, method="OPTIONS"), "token endpoint": answer(400, method="OPTIONS")}

    assert told(cors(INSPECTOR, healthy(preflights=asked, played=mine))) == [("CORS", "skipped")]
    among_others = healthy(preflights=asked, played=mine | played("cursor"))
    assert told(cors(INSPECTOR, among_others)) == [("CORS", "undecided")]


def test_the_real_answer_and_its_challenge_must_be_readable_too() -> None:
    fine = {"MCP endpoint": preflight(access_control_allow_headers=MCP_HEADERS)}
    closed = healthy(preflights=fine, played=played("inspector", with_origin=refusal()))
    blind = healthy(
        preflights=fine, played=played("inspector", with_origin=answer(401, www_authenticate="Bearer", **OPEN))
    )

    assert told(cors(INSPECTOR, closed))[0] == ("CORS", "failed")
    assert told(cors(INSPECTOR, blind))[0] == ("CORS", "advice")

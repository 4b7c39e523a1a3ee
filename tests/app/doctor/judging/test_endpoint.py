"""The MCP endpoint before anybody signed in."""

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.judging import endpoint as judge
from tests.app.doctor.examples import PLACES, URL, answer, endpoint, healthy, played, profile, refusal, result, told


@pytest.mark.parametrize(
    ("get", "status"),
    [
        (answer(405), "ok"),
        (answer(200, content_type="text/event-stream"), "ok"),
        (answer(500), "advice"),
        (answer(None, fault=Fault.SLOW), "advice"),
    ],
)
def test_get_needs_any_prompt_answer(get: Exchange, status: str) -> None:
    assert told(judge.get(profile("cursor"), healthy(endpoint=endpoint(get=get)))) == [("GET /mcp", status)]


@pytest.mark.parametrize(
    ("post", "word"),
    [
        (answer(404), "POST at this one"),
        (answer(405), "POST"),
        (answer(421), "allowed hosts"),
        (answer(403), "401"),
        (answer(502, content_type="text/html"), "HTML"),
        (answer(307, location="https://elsewhere.example/mcp"), "redirect"),
        (answer(307, location=f"{URL}/"), "redirect"),
        (answer(None, fault=Fault.SLOW), "ten seconds"),
        (answer(200, {"some": "json"}), "initialize"),
    ],
)
def test_an_answer_without_protocol_or_401_fails_with_what_to_change(post: Exchange, word: str) -> None:
    observed = healthy(endpoint=endpoint(discover=post, initialize=post))

    finding = judge.post(profile("mcp-remote"), observed)

    assert finding.status == "failed"
    assert word in finding.change


def test_a_client_of_one_era_needs_that_era() -> None:
    only_modern = healthy(endpoint=endpoint(discover=result(), initialize=answer(400, {"error": {"code": -32022}})))

    assert told(judge.post(profile("cursor"), only_modern)) == [("POST /mcp", "failed")]
    assert told(judge.post(profile("python-sdk"), only_modern)) == [("POST /mcp", "ok")]


def test_a_crash_on_the_modern_probe_is_advice_for_those_who_begin_with_it() -> None:
    observed = healthy(endpoint=endpoint(discover=answer(500), initialize=result()))

    assert told(judge.post(profile("claude"), observed)) == [("POST /mcp", "advice")]
    assert told(judge.post(profile("cursor"), observed)) == [("POST /mcp", "ok")]


@pytest.mark.parametrize(
    ("challenge", "claude", "python"),
    [
        ("", "failed", "advice"),
        ('Bearer error="invalid_token"', "failed", "advice"),
        ('Bearer resource_metadata="/relative"', "failed", "advice"),
        (f'Bearer resource_metadata="{PLACES}/oauth-protected-resource/mcp"', "advice", "advice"),
        (f'Bearer resource_metadata="{PLACES}/oauth-protected-resource/mcp", scope="read"', "ok", "ok"),
    ],
)
def test_the_challenge_leads_to_the_metadata(challenge: str, claude: str, python: str) -> None:
    asked = refusal(challenge)
    observed = healthy(endpoint=endpoint(discover=asked, initialize=asked, forged=asked))

    assert told(judge.challenge(profile("claude"), observed)) == [("challenge", claude)]
    assert told(judge.challenge(profile("python-sdk"), observed)) == [("challenge", python)]


def test_a_gateway_with_public_tools_still_refuses_a_forged_token() -> None:
    observed = healthy(endpoint=endpoint(discover=result(), initialize=result()))

    assert told(judge.challenge(profile("claude"), observed)) == [("challenge", "ok")]


def test_metadata_without_any_401_fails() -> None:
    observed = healthy(endpoint=endpoint(discover=result(), initialize=result(), forged=result()))

    assert told(judge.challenge(profile("claude"), observed)) == [("challenge", "failed")]


def test_a_page_s_origin_that_is_not_listed_is_a_policy_unless_that_client_was_asked_for() -> None:
    mine = played("inspector", with_origin=answer(403))

    assert told(judge.origin(profile("inspector"), healthy(played=mine))) == [("Origin", "failed")]
    among_others = healthy(played=mine | played("cursor"))
    assert told(judge.origin(profile("inspector"), among_others)) == [("Origin", "advice")]


def test_an_origin_that_is_refused_fails_its_client_only() -> None:
    observed = healthy(played=played("claude", with_origin=answer(403)))

    assert told(judge.origin(profile("claude"), observed)) == [("Origin", "failed")]
    assert told(judge.origin(profile("cursor"), observed)) == [("Origin", "skipped")]
    assert told(judge.origin(profile("claude"), healthy(played=played("claude", with_origin=refusal())))) == [
        ("Origin", "ok")
    ]

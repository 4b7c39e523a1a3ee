"""The MCP endpoint before a sign-in, with one thing changed; and all steps of one client."""

from typing import Any

import pytest

from app.doctor.examination import judge
from app.doctor.exchanges import Exchange, Fault
from app.doctor.observations import View
from app.doctor.profiles import MCP_HEADERS, PROFILES, Profile
from tests.app.doctor.examples import (
    PLACES,
    URL,
    answer,
    endpoint,
    found,
    healthy,
    played,
    profile,
    refusal,
    result,
    seen,
)

SLOW = answer(None, fault=Fault.SLOW)
OPEN: dict[str, Any] = {"access_control_allow_origin": "*"}


def preflight(**headers: Any) -> Exchange:
    return answer(204, method="OPTIONS", **OPEN, **headers)


FINE = {"MCP endpoint": preflight(access_control_allow_headers=MCP_HEADERS)}


@pytest.mark.parametrize("client", PROFILES, ids=lambda one: one.name)
def test_a_healthy_gateway_lets_every_client_connect(client: Profile) -> None:
    assert judge(View(client, healthy())).connects


@pytest.mark.parametrize("fault", [Fault.TLS, Fault.UNREACHABLE])
def test_an_address_that_nobody_reaches_fails_every_client_at_once(fault: Fault) -> None:
    observed = healthy(endpoint=endpoint(get=answer(None, fault=fault)))

    steps = [(one.step, one.status) for one in judge(View(profile("cursor"), observed)).findings]

    assert steps == [("reach", "failed"), ("everything else", "skipped")]


@pytest.mark.parametrize(
    ("url", "hosted"),
    [
        ("https://gateway.example/mcp", "ok"),
        ("http://127.0.0.1:8000/mcp", "undecided"),
        ("http://192.168.1.5:8000/mcp", "undecided"),
        ("http://gateway.example/mcp", "failed"),
    ],
)
def test_hosted_clients_reach_public_https_only_and_local_ones_everything(url: str, hosted: str) -> None:
    assert seen("chatgpt", healthy(url=url), "reach") == hosted
    assert seen("vscode", healthy(url=url), "reach") == "ok"


@pytest.mark.parametrize(("get", "status"), [(answer(405), "ok"), (answer(500), "advice"), (SLOW, "advice")])
def test_get_needs_any_prompt_answer(get: Exchange, status: str) -> None:
    assert seen("cursor", healthy(endpoint=endpoint(get=get)), "GET /mcp") == status


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
        (SLOW, "ten seconds"),
        (answer(200, {"some": "json"}), "initialize"),
    ],
)
def test_an_answer_without_protocol_or_401_fails_with_what_to_change(post: Exchange, word: str) -> None:
    (finding,) = found("mcp-remote", healthy(endpoint=endpoint(discover=post, initialize=post)), "POST /mcp")

    assert finding.status == "failed"
    assert word in finding.change


@pytest.mark.parametrize(
    ("discover", "initialize", "statuses"),
    [(result(), answer(400, {"error": {"code": -32022}}), ["failed", "ok"]), (answer(500), result(), ["ok", "advice"])],
)
def test_a_client_needs_one_of_its_eras(discover: Exchange, initialize: Exchange, statuses: list[str]) -> None:
    observed = healthy(endpoint=endpoint(discover=discover, initialize=initialize))

    assert [seen(name, observed, "POST /mcp") for name in ("cursor", "python-sdk")] == statuses


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
    refused = refusal(challenge)
    observed = healthy(endpoint=endpoint(discover=refused, initialize=refused, forged=refused))

    assert [seen(name, observed, "challenge") for name in ("claude", "python-sdk")] == [claude, python]


def test_a_gateway_with_public_tools_still_refuses_a_forged_token() -> None:
    public = healthy(endpoint=endpoint(discover=result(), initialize=result()))
    lenient = healthy(endpoint=endpoint(discover=result(), initialize=result(), forged=result()))

    assert [seen("claude", observed, "challenge") for observed in (public, lenient)] == ["ok", "failed"]


def test_an_origin_that_is_refused_fails_its_client_only() -> None:
    observed = healthy(played=played("claude", with_origin=answer(403)))

    assert [seen(name, observed, "Origin") for name in ("claude", "cursor")] == ["failed", "skipped"]
    assert seen("claude", healthy(played=played("claude", with_origin=refusal())), "Origin") == "ok"


def test_a_page_s_origin_that_is_not_listed_is_a_policy_unless_that_client_was_asked_for() -> None:
    mine = played("inspector", with_origin=answer(403))
    asked = {"MCP endpoint": answer(400, method="OPTIONS"), "token endpoint": answer(400, method="OPTIONS")}
    alone, among_others = (healthy(preflights=asked, played=one) for one in (mine, mine | played("cursor")))

    assert [seen("inspector", alone, step) for step in ("Origin", "CORS")] == ["failed", "skipped"]
    assert "http://localhost:6274 to the origins that may call (here: ALLOWED_ORIGINS" in str(
        found("inspector", alone, "Origin")
    )
    assert [seen("inspector", among_others, step) for step in ("Origin", "CORS")] == ["advice", "undecided"]


@pytest.mark.parametrize(
    ("name", "asked", "status"),
    [
        ("cursor", {}, "skipped"),
        ("inspector", {}, "skipped"),
        ("inspector", {**FINE, "resource metadata (read)": answer(**OPEN)}, "ok"),
        ("inspector", {"MCP endpoint": answer(401, method="OPTIONS", **OPEN)}, "failed"),
        ("inspector", {"token endpoint": answer(204, method="OPTIONS")}, "failed"),
        ("inspector", {"MCP endpoint": preflight(access_control_allow_headers="*")}, "failed"),
        ("inspector", {"MCP endpoint": preflight(access_control_allow_headers="authorization, x")}, "failed"),
        ("inspector", {"server metadata (read)": answer(200)}, "failed"),
    ],
)
def test_what_a_browser_would_stop_fails_pages_only(name: str, asked: dict[str, Any], status: str) -> None:
    assert [one.status for one in found(name, healthy(preflights=asked), "CORS")] == [status]


@pytest.mark.parametrize(
    ("answered", "status"), [(refusal(), "failed"), (answer(401, www_authenticate="Bearer", **OPEN), "advice")]
)
def test_the_real_answer_and_its_challenge_must_be_readable_too(answered: Exchange, status: str) -> None:
    observed = healthy(preflights=FINE, played=played("inspector", with_origin=answered))

    assert seen("inspector", observed, "CORS") == status

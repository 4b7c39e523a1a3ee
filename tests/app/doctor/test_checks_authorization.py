"""Registration, and the authorization endpoint without a sign-in."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.observations import Observed
from app.doctor.profiles import FOREIGN
from tests.app.doctor.examples import ISSUER, answer, discovery, found, healthy, played, profile, seen

GOOD, PORT, BAD = "authorize", "authorize, other port", "authorize, bad requests"
REDIRECT, CHATGPT = profile("cursor").redirects[0], profile("chatgpt").redirects[0]
PAGE, REFUSED = answer(200, content_type="text/html"), answer(400, content_type="text/html")


def back(target: str = REDIRECT, **parameters: str) -> Exchange:
    return answer(302, location=f"{target}?{urlencode(parameters)}")


SOUND = {
    "good": PAGE,
    "moved port": PAGE,
    "unknown client": REFUSED,
    "foreign redirect": REFUSED,
    "no PKCE": back(error="invalid_request", iss=ISSUER),
    "plain PKCE": back(error="invalid_request", iss=ISSUER),
}


def judged(name: str = "cursor", page: Exchange | None = None, **changed: Exchange) -> dict[str, str]:
    answers = SOUND | {probe.replace("_", " "): answered for probe, answered in changed.items()}
    observed = healthy(played=played(name, authorize=answers, page=page))
    return {step: seen(name, observed, step) for step in (GOOD, PORT, BAD)}


def by_document(name: str, good: Exchange) -> Observed:
    answers = {"unknown client": REFUSED, "good": good}
    return healthy(played=played(name, authorize=answers))


@pytest.mark.parametrize(
    ("name", "changed", "step", "status"),
    [
        ("cursor", {"good": back(error="invalid_target")}, GOOD, "failed"),
        ("cursor", {"good": answer(400)}, GOOD, "failed"),
        ("cursor", {"good": answer(None, fault=Fault.SLOW)}, GOOD, "failed"),
        ("cursor", {"good": answer(302, location="http://[::1")}, GOOD, "ok"),  # an impossible address is no crash
        ("cursor", {"moved_port": answer(400)}, PORT, "advice"),
        ("cursor", {"foreign_redirect": back(FOREIGN, error="invalid_request")}, BAD, "failed"),
        ("cursor", {"foreign_redirect": PAGE}, BAD, "advice"),
        ("cursor", {"unknown_client": back(error="unauthorized_client")}, BAD, "failed"),
        ("cursor", {"unknown_client": answer(500)}, BAD, "advice"),
        ("cursor", {"unknown_client": PAGE}, BAD, "advice"),
        ("cursor", {"plain_PKCE": PAGE}, BAD, "advice"),
        ("cursor", {"no_PKCE": PAGE}, BAD, "advice"),
        ("cursor", {"no_PKCE": back(error="invalid_request")}, BAD, "advice"),
        ("chatgpt", {"no_PKCE": back(CHATGPT, error="invalid_request")}, BAD, "failed"),  # it compares `iss`
    ],
)
def test_one_answer_that_is_wrong_is_found_at_its_step(
    name: str, changed: dict[str, Exchange], step: str, status: str
) -> None:
    assert judged() == dict.fromkeys((GOOD, PORT, BAD), "ok")
    assert judged(name, **changed)[step] == status


@pytest.mark.parametrize(
    ("page", "status"),
    [
        (PAGE, "ok"),
        (answer(401, www_authenticate="Negotiate"), "ok"),
        (answer(302, location="https://identity.example/sign-in"), "ok"),
        (answer(429), "skipped"),
        (answer(503), "failed"),
        (answer(401), "failed"),
        (answer(None, fault=Fault.SLOW), "failed"),
        (answer(302, location="/again"), "failed"),
        (back(error="access_denied"), "failed"),
    ],
)
def test_the_page_behind_a_good_request_decides_whether_anybody_can_sign_in(page: Exchange, status: str) -> None:
    assert judged(good=answer(302, location="/login"), page=page)["authorize"] == status


def test_a_page_without_a_sign_in_is_named_without_what_it_was_asked() -> None:
    page = answer(503, url=f"{ISSUER}/login?continue=sealed")
    answers = SOUND | {"good": answer(302, location="/login?continue=sealed")}

    (finding,) = found("cursor", healthy(played=played("cursor", authorize=answers, page=page)), GOOD)

    assert finding.why == f"nobody can sign in there: `{ISSUER}/login` met status 503"


def test_a_document_that_the_gateway_cannot_fetch_is_named_and_nothing_else_is_held_against_it() -> None:
    observed, document = by_document("claude-code", answer(503)), profile("claude-code").document

    (finding,) = found("claude-code", observed, GOOD)

    assert [seen("claude-code", observed, step) for step in (GOOD, PORT, BAD)] == ["failed", "skipped", "skipped"]
    assert finding.why.endswith(document)
    assert finding.change.startswith("Let the gateway reach claude.ai over https (its DNS, firewall or proxy)")


def test_without_a_client_no_good_request_is_made_and_without_registering_nobody_sees_whether_one_would_do() -> None:
    observed = healthy(played=played("cursor", authorize={"unknown client": REFUSED}))

    assert [seen("cursor", observed, step) for step in (GOOD, PORT, BAD)] == ["skipped", "", "ok"]
    assert seen("cursor", replace(observed, registers=False), GOOD) == "undecided"


CURSOR = {"client_id": "c-1", **profile("cursor").body}


@pytest.mark.parametrize(
    ("answered", "status", "word"),
    [
        (answer(201, CURSOR), "ok", ""),
        (answer(201, CURSOR | {"token_endpoint_auth_method": "client_secret_post", "client_secret": "s"}), "ok", ""),
        (answer(200, CURSOR), "advice", "201"),
        (answer(201, {"registered": True}), "failed", "client_id"),
        (answer(201, CURSOR | {"token_endpoint_auth_method": "client_secret_basic"}), "failed", "none"),
        (answer(201, CURSOR | {"redirect_uris": ["cursor://x"]}), "failed", "redirect URI"),
        (answer(400, {"error": "invalid_redirect_uri"}), "failed", "redirect URIs"),
        (answer(400, {"error": "invalid_client_metadata"}), "failed", "token_endpoint_auth_method"),
        (answer(400, {"error": ["odd"]}), "failed", "error"),
        (answer(500, content_type="text/html"), "failed", "JSON"),
        (answer(307, location="https://elsewhere.example"), "failed", "final address"),
        (answer(None, fault=Fault.SLOW), "failed", "ten seconds"),
    ],
)
def test_what_is_wrong_with_a_registration_says_what_to_change(answered: Exchange, status: str, word: str) -> None:
    (finding,) = found("cursor", healthy(played=played("cursor", registration=answered)), "registration")

    assert (finding.status, word in finding.change) == (status, True)


NO_WAY = discovery(server={"registration_endpoint": None, "client_id_metadata_document_supported": False})


@pytest.mark.parametrize(
    ("name", "changed", "status"),
    [
        ("claude", {}, "ok"),  # by its document
        ("chatgpt", {"discovery": NO_WAY}, "failed"),
        ("cursor", {"discovery": NO_WAY}, "failed"),
        ("cursor", {"registers": False}, "skipped"),
    ],
)
def test_a_client_takes_a_way_that_is_offered(name: str, changed: dict[str, Any], status: str) -> None:
    assert seen(name, healthy(played=played(name), **changed), "registration") == status

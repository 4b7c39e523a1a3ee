"""The authorization endpoint without a sign-in."""

from urllib.parse import urlencode

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.judging.authorize import authorize
from app.doctor.requests import FOREIGN
from tests.app.doctor.examples import ISSUER, answer, healthy, played, profile, told

REDIRECT = profile("cursor").redirects[0]
PAGE, REFUSED = answer(200, content_type="text/html"), answer(400, content_type="text/html")


def back(target: str = REDIRECT, **told: str) -> Exchange:
    return answer(302, location=f"{target}?{urlencode(told)}")


SOUND = {
    "good": PAGE,
    "moved port": PAGE,
    "unknown client": REFUSED,
    "foreign redirect": REFUSED,
    "no PKCE": back(error="invalid_request", iss=ISSUER),
    "plain PKCE": back(error="invalid_request", iss=ISSUER),
}


def judged(name: str = "cursor", page: Exchange | None = None, **changed: Exchange) -> dict[str, str]:
    asked = SOUND | {probe.replace("_", " "): answered for probe, answered in changed.items()}
    found = authorize(profile(name), healthy(played=played(name, authorize=asked, page=page)))
    return {finding.step: finding.status.value for finding in found}


def test_a_sound_endpoint_is_fine() -> None:
    assert judged() == {"authorize": "ok", "authorize, other port": "ok", "authorize, bad requests": "ok"}


@pytest.mark.parametrize(
    "good", [back(error="invalid_target"), answer(400), answer(500), answer(None, fault=Fault.SLOW)]
)
def test_a_good_request_that_is_refused_fails(good: Exchange) -> None:
    assert judged(good=good)["authorize"] == "failed"


@pytest.mark.parametrize(
    ("page", "status"),
    [
        (PAGE, "ok"),
        (answer(401, www_authenticate="Negotiate"), "ok"),
        (answer(302, location="https://identity.example/sign-in"), "ok"),
        (answer(429), "skipped"),
        (answer(503), "failed"),
        (answer(404), "failed"),
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
    asked = SOUND | {"good": answer(302, location="/login?continue=sealed")}

    found = authorize(profile("cursor"), healthy(played=played("cursor", authorize=asked, page=page)))[0]

    assert found.why == f"nobody can sign in there: `{ISSUER}/login` met status 503"


@pytest.mark.parametrize(
    "good",
    [
        answer(503, content_type="text/html"),
        answer(400, {"error": "invalid_client", "error_description": "Failed to fetch client metadata"}),
        answer(502, {"error_description": "The client's metadata document cannot be read now."}),
    ],
)
def test_a_document_that_the_gateway_cannot_fetch_is_named_and_nothing_else_is_held_against_it(good: Exchange) -> None:
    asked = {"unknown client": REFUSED, "good": good}
    document = profile("claude-code").document

    found = authorize(
        profile("claude-code"), healthy(played=played("claude-code", client_id=document, authorize=asked))
    )

    assert told(found) == [
        ("authorize", "failed"),
        ("authorize, other port", "skipped"),
        ("authorize, bad requests", "skipped"),
    ]
    assert found[0].why == f"this gateway could not fetch {document} (the client's metadata document)"
    assert found[0].change == "Let the gateway reach claude.ai over https (its DNS, firewall or proxy)."


@pytest.mark.parametrize(("good", "unknown"), [(answer(503), answer(503)), (answer(400), REFUSED)])
def test_not_every_refusal_is_a_document_that_was_not_fetched(good: Exchange, unknown: Exchange) -> None:
    asked = {"unknown client": unknown, "good": good}
    document = profile("chatgpt").document

    found = authorize(profile("chatgpt"), healthy(played=played("chatgpt", client_id=document, authorize=asked)))

    assert "could not fetch" not in found[0].why


def test_without_a_client_no_good_request_is_made() -> None:
    found = authorize(profile("cursor"), healthy(played=played("cursor", authorize={"unknown client": REFUSED})))

    assert [finding.status.value for finding in found] == ["skipped", "ok"]


def test_a_loopback_port_that_is_held_against_the_client_is_advice() -> None:
    assert judged(moved_port=answer(400))["authorize, other port"] == "advice"


@pytest.mark.parametrize(
    ("probe", "answered"),
    [
        ("foreign_redirect", back(FOREIGN, error="invalid_request")),
        ("unknown_client", back(error="unauthorized_client")),
    ],
)
def test_a_redirect_to_strangers_fails(probe: str, answered: Exchange) -> None:
    assert judged("cursor", **{probe: answered})["authorize, bad requests"] == "failed"


@pytest.mark.parametrize("probe", ["unknown_client", "foreign_redirect", "no_PKCE", "plain_PKCE"])
def test_a_bad_request_that_goes_on_to_the_sign_in_is_advice(probe: str) -> None:
    assert judged("cursor", **{probe: PAGE})["authorize, bad requests"] == "advice"


def test_a_crash_on_a_bad_request_is_advice() -> None:
    assert judged(unknown_client=answer(500))["authorize, bad requests"] == "advice"


def test_an_error_without_iss_fails_the_client_that_compares_it() -> None:
    chatgpt = profile("chatgpt").redirects[0]

    assert judged("chatgpt", no_PKCE=back(chatgpt, error="invalid_request"))["authorize, bad requests"] == "failed"
    assert judged(no_PKCE=back(error="invalid_request"))["authorize, bad requests"] == "advice"


def test_an_impossible_location_is_no_crash() -> None:
    assert judged(good=answer(302, location="http://[::1"))["authorize"] == "ok"


@pytest.mark.parametrize(
    ("page", "status"), [(PAGE, "skipped"), (answer(503), "failed"), (answer(404), "failed"), (None, "undecided")]
)
def test_without_registering_another_clients_page_says_whether_people_can_sign_in(
    page: Exchange | None, status: str
) -> None:
    asked = {"unknown client": REFUSED}
    others = {} if page is None else played("chatgpt", authorize={**asked, "good": back("/oauth/login")}, page=page)
    observed = healthy(registers=False, played={**played("cursor", client_id="", authorize=asked), **others})

    found = authorize(profile("cursor"), observed)

    assert (found[0].step, found[0].status.value) == ("authorize", status)

"""A completed sign-in and its end."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.judging.grant import grant
from app.doctor.observed import Grant
from tests.app.doctor.examples import ISSUER, answer, discovery, healthy, profile, told

TOKENS = {"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "expires_in": 60}
ISSUED = answer(told=TOKENS, cache_control="no-store")
GONE = answer(400, {"error": "invalid_grant"})
WHOLE = Grant(
    callback={"code": "c", "state": "s", "iss": ISSUER},
    token=ISSUED,
    refresh=ISSUED,
    after_refresh=answer(),
    revoke=answer(),
    refresh_after=GONE,
    call_after=answer(401),
    code_again=GONE,
)
STEPS = ["sign-in", "token", "refresh", "revoke", "after revoking"]


def judged(**changed: Any) -> list[tuple[str, str]]:
    return told(grant(profile("claude"), healthy(grant=replace(WHOLE, **changed))))


def test_a_grant_that_lives_and_ends_well_is_fine() -> None:
    assert judged() == [(step, "ok") for step in STEPS]


def test_who_did_not_sign_in_is_told_how() -> None:
    (finding,) = grant(profile("claude"), healthy())

    assert (finding.status, "--login" in finding.change) == ("skipped", True)
    assert judged(gave_up="nobody came") == [("sign-in", "skipped")]


@pytest.mark.parametrize(
    "callback",
    [
        {"error": "access_denied", "iss": ISSUER},
        {"iss": ISSUER},
        {"code": "c", "iss": "https://other.example"},
        {"code": "c", "iss": f"{ISSUER}/"},
        {"code": "c"},
    ],
)
def test_a_wrong_way_back_fails(callback: dict[str, str]) -> None:
    assert judged(callback=callback, token=None) == [("sign-in", "failed")]


def test_iss_is_missed_only_where_it_was_promised() -> None:
    quiet = discovery(server={"authorization_response_iss_parameter_supported": False})
    observed = healthy(discovery=quiet, grant=replace(WHOLE, callback={"code": "c"}))

    assert told(grant(profile("claude"), observed))[0] == ("sign-in", "ok")


@pytest.mark.parametrize(
    ("changed", "step", "status"),
    [
        ({"token": answer(told=TOKENS)}, "token", "advice"),
        ({"token": answer(told=TOKENS | {"token_type": "mac"}, cache_control="no-store")}, "token", "failed"),
        ({"token": answer(told=TOKENS | {"expires_in": None}, cache_control="no-store")}, "token", "advice"),
        ({"refresh": None}, "refresh", "advice"),
        ({"refresh": GONE}, "refresh", "failed"),
        ({"after_refresh": answer(401)}, "refresh", "failed"),
        ({"refresh": answer(told={"access_token": "b"})}, "refresh", "advice"),
        ({"revoke": None}, "revoke", "advice"),
        ({"revoke": answer(401)}, "revoke", "advice"),
        ({"refresh_after": ISSUED}, "after revoking", "advice"),
        ({"call_after": answer(200)}, "after revoking", "advice"),
        ({"code_again": ISSUED}, "after revoking", "advice"),
    ],
)
def test_each_step_has_its_own_faults(changed: dict[str, Any], step: str, status: str) -> None:
    assert dict(judged(**changed)) == dict.fromkeys(STEPS, "ok") | {step: status}


def test_without_a_token_nothing_follows() -> None:
    assert judged(token=GONE) == [("sign-in", "ok"), ("token", "failed")]

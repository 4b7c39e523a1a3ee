"""A completed sign-in and its end, and the tools with a credential."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.observations import Called, Grant
from app.doctor.profiles import LEGACY, MODERN
from tests.app.doctor.examples import ISSUER, answer, called, discovery, found, healthy, result, seen

TOKENS = {"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "expires_in": 60}
ISSUED = answer(200, TOKENS, cache_control="no-store")
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


def judged(**changed: Any) -> dict[str, str]:
    observed = healthy(grant=replace(WHOLE, **changed))
    return {step: status for step in STEPS if (status := seen("claude", observed, step))}


def test_a_grant_that_lives_and_ends_well_is_fine_and_without_one_or_a_token_nothing_follows() -> None:
    (finding,) = found("claude", healthy(), "sign-in")

    assert judged() == dict.fromkeys(STEPS, "ok")
    assert (finding.status, "--login" in finding.change) == ("skipped", True)
    assert judged(gave_up="nobody came", token=None) == {"sign-in": "skipped"}
    assert judged(token=GONE) == {"sign-in": "ok", "token": "failed"}


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
    assert judged(callback=callback, token=None) == {"sign-in": "failed"}


def test_iss_is_missed_only_where_it_was_promised() -> None:
    quiet = discovery(server={"authorization_response_iss_parameter_supported": False})
    observed = healthy(discovery=quiet, grant=replace(WHOLE, callback={"code": "c"}))

    assert seen("claude", observed, "sign-in") == "ok"


@pytest.mark.parametrize(
    ("changed", "step", "status"),
    [
        ({"token": answer(200, TOKENS)}, "token", "advice"),
        ({"token": answer(200, TOKENS | {"token_type": "mac"}, cache_control="no-store")}, "token", "failed"),
        ({"token": answer(200, TOKENS | {"expires_in": None}, cache_control="no-store")}, "token", "advice"),
        ({"refresh": None}, "refresh", "advice"),
        ({"refresh": GONE}, "refresh", "failed"),
        ({"after_refresh": answer(401)}, "refresh", "failed"),
        ({"refresh": answer(200, {"access_token": "b"})}, "refresh", "advice"),
        ({"revoke": None}, "revoke", "advice"),
        ({"revoke": answer(401)}, "revoke", "advice"),
        ({"refresh_after": ISSUED}, "after revoking", "advice"),
        ({"call_after": answer(200)}, "after revoking", "advice"),
        ({"code_again": ISSUED}, "after revoking", "advice"),
    ],
)
def test_each_step_has_its_own_faults(changed: dict[str, Any], step: str, status: str) -> None:
    assert judged(**changed) == dict.fromkeys(STEPS, "ok") | {step: status}


REFUSED = Called(MODERN, answer(400, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32022}}))
BROKEN = Called(MODERN, answer(None, fault=Fault.SLOW))


@pytest.mark.parametrize(
    ("name", "eras", "listed", "tool"),
    [
        ("python-sdk", (called(MODERN), called(LEGACY)), ["ok"], "ok"),
        ("python-sdk", (), ["skipped"], ""),
        # A server may refuse an era in so many words; silence is another matter for who speaks it.
        ("python-sdk", (REFUSED, called(LEGACY)), ["ok"], "ok"),
        ("python-sdk", (BROKEN, called(LEGACY)), ["advice", "ok"], "ok"),
        ("cursor", (BROKEN, called(LEGACY)), ["ok"], "ok"),
        ("cursor", (Called(LEGACY, answer(401)),), ["failed"], ""),
    ],
)
def test_one_era_that_the_client_speaks_must_work(
    name: str, eras: tuple[Called, ...], listed: list[str], tool: str
) -> None:
    observed = healthy(called=eras)

    assert [one.status for one in found(name, observed, "tools/list")] == listed
    assert seen(name, observed, "tools/call") == tool


def test_both_eras_that_work_are_named_and_a_refused_credential_is_explained() -> None:
    (fine,) = found("python-sdk", healthy(called=(called(MODERN), called(LEGACY))), "tools/list")
    (refused,) = found("cursor", healthy(called=(Called(LEGACY, answer(401)),)), "tools/list")

    assert (LEGACY in fine.why, MODERN in fine.why) == (True, True)
    assert "audience" in refused.change


@pytest.mark.parametrize(
    ("answered", "status"),
    [
        (result({"content": []}), "ok"),
        (result({"content": [], "isError": True}), "advice"),
        (answer(500), "failed"),
        (None, "skipped"),
    ],
)
def test_a_call_is_judged_by_its_result(answered: Exchange | None, status: str) -> None:
    assert seen("cursor", healthy(called=(called(LEGACY, call=answered),)), "tools/call") == status

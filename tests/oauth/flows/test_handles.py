"""A request survives the way through the sign-in unchanged, for ten minutes, and nobody can make one."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from oauth.errors import InvalidRequest
from oauth.flows.authorization import MAX_LENGTH, PURPOSE, Handles
from oauth.grants import AuthorizationRequest
from oauth.primitives.sealing import Sealer, Stale, Tampered
from oauth.settings import OAuthSettings

NOW = datetime(2026, 11, 20, 9, 0, 0, 123_000, tzinfo=UTC)
SETTINGS = OAuthSettings("https://minds.example", frozenset())
HANDLES = Handles(Sealer(SecretStr("an installation's secret")), SETTINGS)


def request(state: str | None = "s", **changes: object) -> AuthorizationRequest:
    values: dict[str, object] = {
        "id": "7f1c",
        "client_id": "app",
        "redirect_uri": "https://app.example/cb",
        "redirect_given": True,
        "challenge": "c" * 43,
        "state": state,
        "scopes": frozenset({"sparks:read", "flows:read"}),
        "resource": "https://minds.example/mcp",
        "prompt": frozenset({"login"}),
        "issued_at": NOW,
        **changes,
    }
    return AuthorizationRequest(**values)  # type: ignore[arg-type]  # a test's own


@given(st.none() | st.text(max_size=300))
def test_a_request_comes_back_as_it_was(state: str | None) -> None:
    assert HANDLES.open(HANDLES.seal(request(state)), NOW) == request(state)


def test_what_a_newer_process_sealed_besides_is_passed_over() -> None:
    sealer = Sealer(SecretStr("an installation's secret"))
    known = json.loads(sealer.open(PURPOSE, HANDLES.seal(request()), max_age=SETTINGS.request, now=NOW))
    newer = sealer.seal(PURPOSE, json.dumps({**known, "of_tomorrow": 1}).encode(), NOW)

    assert HANDLES.open(newer, NOW) == request()


@pytest.mark.security("CO-14")
def test_a_request_older_than_it_may_be_is_gone() -> None:
    handle = HANDLES.seal(request())

    assert HANDLES.open(handle, NOW + SETTINGS.request) == request()
    with pytest.raises(Stale):
        HANDLES.open(handle, NOW + SETTINGS.request + timedelta(milliseconds=1))


@pytest.mark.security("CO-14")
def test_what_was_sealed_for_something_else_is_no_request() -> None:
    sealer = Sealer(SecretStr("an installation's secret"))

    with pytest.raises(Tampered):
        HANDLES.open(sealer.seal("return", b"{}", NOW), NOW)


def test_a_request_too_long_for_an_address_is_refused() -> None:
    assert len(HANDLES.seal(request("s" * 3_000))) <= MAX_LENGTH
    with pytest.raises(InvalidRequest):
        HANDLES.seal(request("s" * MAX_LENGTH))

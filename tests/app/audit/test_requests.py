"""What the edge says of itself."""

from pathlib import Path

import pytest

from app.audit.middleware import breaker_changed, configured, request_ended
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import AuthenticationRequired, GatewayError, PermissionDenied
from tests.auditing import Memory
from tests.edge import settings_for


def test_the_configuration_is_told_without_its_secrets(tmp_path: Path) -> None:
    secret = "a-secret-that-is-long-enough-to-be-taken"
    settings = settings_for(tmp_path, secret_key=secret, port=9, oauth_clients=[{"client_secret": secret}])

    told = configured(settings).detail

    assert told is not None
    assert told["settings"]["port"] == 9
    assert told["settings"]["secret_key"] == "set"
    assert secret not in str(told)
    assert "breaker_failures" not in told["settings"]


def test_a_breaker_that_opens_is_told() -> None:
    recorder = Recorder([Memory()])

    breaker_changed(recorder, "api chat", "closed", "open")

    (entry,) = recorder.queued("memory")
    assert (entry.event, entry.outcome) == ("breakerChanged", "open")
    assert entry.detail == {"breaker": "api chat", "from": "closed", "to": "open"}


@pytest.mark.parametrize(
    ("refusal", "status", "path", "events"),
    [
        (AuthenticationRequired(), 401, "/mcp", []),
        (AuthenticationRequired(invalid_token=True), 401, "/mcp", ["authFailure"]),
        (PermissionDenied(), 403, "/mcp", ["authFailure"]),
        (None, 429, "/oauth/register", ["rateLimitExceeded"]),
        (None, 401, "/oauth/token", ["authFailure"]),
        (None, 500, "/account", ["internalError"]),
        (None, 200, "/mcp", []),
        (None, 404, "/nothing", []),
    ],
)
def test_a_refusal_is_told_by_its_kind(refusal: GatewayError | None, status: int, path: str, events: list[str]) -> None:
    recorder = Recorder([Memory()])

    request_ended(recorder, {"path": path, "refusal": refusal, "caller": ANONYMOUS}, status)

    assert [entry.event for entry in recorder.queued("memory")] == events


def test_who_came_in_is_told() -> None:
    recorder = Recorder([Memory()])

    request_ended(recorder, {"path": "/mcp", "caller": Caller("oauth", "ada", client_id="c")}, 200)

    (entry,) = recorder.queued("memory")
    assert (entry.event, entry.outcome, entry.subject, entry.client) == ("authAttempt", "ok", "ada", "c")

"""The sinks that the settings name, and every key that may have marked a row here."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from app.audit.recording import breaker_changed, configured, known_keys, open_recorder, request_ended
from app.storage.engine import open_engine
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import folder_of
from mcp_server.audit.recorder import PER_KEY, Recorder
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import AuthenticationRequired, GatewayError, PermissionDenied
from mcp_server.request_context import RequestContext
from tests.auditing import Memory, queued, rows_in
from tests.edge import settings_for

SECRET = SecretStr("a secret for all hosts of an installation")


async def test_each_name_has_its_sink(tmp_path: Path) -> None:
    names = ("syslog", "stdout", "database", "file")
    settings = settings_for(tmp_path, audit_sink=names, audit_syslog_address="udp://127.0.0.1:514")
    engine = open_engine(settings.database)

    recorder = open_recorder(settings, engine, "test")

    assert tuple(writer.sink.name for writer in recorder.writers) == names
    for writer in recorder.writers:
        await writer.sink.aclose()
    await engine.dispose()


def test_without_a_secret_of_the_installation_the_key_is_a_file_and_stays_known(tmp_path: Path) -> None:
    before, after = settings_for(tmp_path), settings_for(tmp_path, secret_key=SECRET)
    (old,) = known_keys(before)
    new, other = known_keys(after)

    assert known_keys(before) == [old] == [other]
    assert new != old


@pytest.mark.security("RE-10", "RL-04")
async def test_an_ipv6_site_is_one_address_when_repetitions_are_counted(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, audit_sink=("file",))
    engine = open_engine(settings.database)
    recorder = open_recorder(settings, engine, "test")

    async with recorder.running():
        for number in range(100):
            recorder.record(Entry(Event.AUTH_FAILURE, "refused", address=f"2001:db8::{number:x}"))
            recorder.record(Entry(Event.AUTH_ATTEMPT, "ok", "ada", address=f"2001:db8::{number:x}"))
    await engine.dispose()

    rows = rows_in(folder_of(tmp_path))
    outcomes = {
        kind: [row["outcome"] for row in rows if row["event"] == kind] for kind in ("authFailure", "authAttempt")
    }
    assert outcomes == {"authFailure": ["refused"] * PER_KEY + ["counted"], "authAttempt": ["ok", "counted"]}


def test_the_configuration_is_told_without_its_secrets(tmp_path: Path) -> None:
    secret = "a-secret-that-is-long-enough-to-be-taken"
    settings = settings_for(tmp_path, secret_key=secret, port=9, oauth_clients=[{"client_secret": secret}])

    detail = configured(settings).detail

    assert detail is not None
    assert detail["settings"]["port"] == 9
    assert detail["settings"]["secret_key"] == "set"
    assert secret not in str(detail)
    assert "breaker_failures" not in detail["settings"]


def test_a_breaker_that_opens_is_told() -> None:
    recorder = Recorder([Memory()])

    breaker_changed(recorder, "api chat", "closed", "open")

    (entry,) = queued(recorder)
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

    request_ended(recorder, RequestContext("r", caller=ANONYMOUS, refusal=refusal), path, status)

    assert [entry.event for entry in queued(recorder)] == events


def test_who_came_in_is_told() -> None:
    recorder = Recorder([Memory()])

    request_ended(recorder, RequestContext("r", caller=Caller("oauth", "ada", client_id="c")), "/mcp", 200)

    (entry,) = queued(recorder)
    assert (entry.event, entry.outcome, entry.subject, entry.client) == ("authAttempt", "ok", "ada", "c")

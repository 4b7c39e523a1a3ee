"""A whole gateway: what requests leave in the log, and when."""

from pathlib import Path
from typing import Any

import pytest

from mcp_server.audit.chain import ChainKey
from mcp_server.audit.files import AUDIT_KEY, folder_of
from tests.auditing import rows_in, verified
from tests.edge import ERAS, running, settings_for

REVOKED = "/oauth/register"
CLIENT = {"redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none", "client_name": "Bob"}


def told(folder: Path, event: str) -> list[dict[str, Any]]:
    return [row for row in rows_in(folder_of(folder)) if row["event"] == event]


@pytest.mark.requirement(
    "seed:gateway:audit-auth-failure",
    "seed:gateway:audit-tool-invoke",
    "seed:gateway:audit-tool-success",
    "seed:gateway:audit-tool-failure",
    "seed:gateway:audit-rate-limit",
    "seed:gateway:audit-internal-error",
)
@pytest.mark.security("AK-07", "AK-09")
@pytest.mark.parametrize("era", ERAS)
async def test_each_event_of_the_seed_has_its_row_and_the_log_is_whole(tmp_path: Path, era: str) -> None:
    settings = settings_for(tmp_path, audit_every_invoke=True)
    bad = "minds_" + "0" * 48
    async with running(settings) as edge:
        await edge.call("private", {"text": "a secret wish"}, era=era, key=edge.key, headers={"x-request-id": "r-1"})
        await edge.call("fail", era=era)
        await edge.call("crash", era=era)
        await edge.call("refuse", {"kind": "rate"}, era=era)
        await edge.call("say", era=era, key=bad)
        await edge.call("private", era=era, key=edge.narrow_key)
        keys = (edge.key, edge.narrow_key, bad)

    (success,) = told(tmp_path, "toolSuccess")
    assert (success["tool"], success["request"], success["summary"]) == ("private", "r-1", "text=text:13")
    assert {"subject", "client", "address", "ms", "arguments"} <= set(success)
    assert [row["tool"] for row in told(tmp_path, "toolFailure")] == ["fail", "crash", "refuse"]
    assert [row["tool"] for row in told(tmp_path, "toolInvoke")] == ["private", "fail", "crash", "refuse"]
    assert [row["reason"] for row in told(tmp_path, "internalError")] == ["INTERNAL_ERROR"]
    assert [row["reason"] for row in told(tmp_path, "rateLimitExceeded")] == ["RATE_LIMIT_EXCEEDED"]
    failures = [row["reason"] for row in told(tmp_path, "authFailure")]
    assert failures == ["AUTHENTICATION_REQUIRED", "PERMISSION_DENIED"]
    assert len(told(tmp_path, "authAttempt")) >= 1
    assert len(told(tmp_path, "configuration")) == 1
    key = ChainKey.derived((tmp_path / AUDIT_KEY).read_text().strip())
    assert verified(folder_of(tmp_path), key).faults == []
    written = b"".join(path.read_bytes() for path in folder_of(tmp_path).iterdir())
    assert not any(secret.encode() in written for secret in (*keys, "a secret wish"))


@pytest.mark.security("FI-21")
async def test_what_changes_rights_is_on_the_disk_before_the_answer_leaves(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        answer = await edge.client.post(REVOKED, json=CLIENT)
        at_once = told(tmp_path, "clientRegistered")  # read while the process still runs, without waiting

    assert answer.status_code == 201
    assert [row["client"] for row in at_once] == [answer.json()["client_id"]]


@pytest.mark.security("FI-07", "RE-10")
async def test_a_log_that_cannot_be_written_stops_nobody_and_is_seen(tmp_path: Path) -> None:
    folder_of(tmp_path).write_text("no folder")
    async with running(settings_for(tmp_path, audit_sink=("file",))) as edge:
        registered = await edge.client.post(REVOKED, json=CLIENT)
        called = await edge.call("private", key=edge.key)
        health = (await edge.client.get("/mcp")).json()
        folder_of(tmp_path).unlink()

    assert (registered.status_code, called.status_code) == (201, 200)
    assert health["status"] == "degraded"
    assert health["components"]["audit"]["sinks"]["file"]["status"] == "failing"
    assert len(told(tmp_path, "clientRegistered")) == 1, "it was kept, and written when that was possible"


async def test_one_row_a_minute_says_who_came_in(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        for _ in range(3):
            await edge.call("private", key=edge.key)

    attempts = told(tmp_path, "authAttempt")
    assert [row["outcome"] for row in attempts] == ["ok", "counted"]
    assert attempts[1]["detail"] == {"count": 2}

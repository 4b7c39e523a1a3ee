"""The sinks that the settings name, and every key that may have marked a row here."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from app.audit.opening import chain_key, known_keys, open_recorder
from app.storage.engine import open_engine
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.local import folder_of
from mcp_server.audit.recorder import PER_KEY
from tests.auditing import rows_in
from tests.edge import settings_for

SECRET = SecretStr("a secret for all hosts of an installation")


async def test_each_name_has_its_sink(tmp_path: Path) -> None:
    names = ("syslog", "stdout", "database", "file")
    settings = settings_for(
        tmp_path,
        audit_sink=names,
        audit_syslog_address="udp://127.0.0.1:514",
    )
    engine = open_engine(settings.database)

    recorder = open_recorder(settings, engine, "test")

    assert tuple(trail.sink.name for trail in recorder.trails) == names
    for trail in recorder.trails:
        await trail.sink.aclose()
    await engine.dispose()


def test_without_a_secret_of_the_installation_the_key_is_a_file_and_stays_known(tmp_path: Path) -> None:
    before, after = settings_for(tmp_path), settings_for(tmp_path, secret_key=SECRET)
    old = chain_key(before)

    assert chain_key(before) == old
    assert known_keys(before) == [old]
    assert known_keys(after) == [chain_key(after), old]
    assert chain_key(after) != old


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

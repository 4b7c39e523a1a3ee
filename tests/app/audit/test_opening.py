"""The sinks that the settings name, and every key that may have marked a row here."""

from pathlib import Path

from pydantic import SecretStr

from app.audit.opening import chain_key, known_keys, open_recorder
from app.database import open_engine
from tests.edge import settings_for

SECRET = SecretStr("a secret for all hosts of an installation")


async def test_each_name_has_its_sink(tmp_path: Path) -> None:
    names = ("webhook", "syslog", "stdout", "database", "file")
    settings = settings_for(
        tmp_path,
        audit_sink=names,
        audit_syslog_address="udp://127.0.0.1:514",
        audit_webhook_url="https://siem.example/",
        audit_webhook_secret=SECRET,
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

"""A wrong setting is named, with the way out."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.settings import settings_problems
from tests.edge import settings_for


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"audit_sink": "file,paper"}, "AUDIT_SINK"),
        ({"audit_sink": "syslog"}, "AUDIT_SYSLOG_ADDRESS"),
        ({"audit_syslog_address": "host:514"}, "AUDIT_SYSLOG_ADDRESS"),
        ({"audit_retention_days": 1}, "AUDIT_RETENTION_DAYS"),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path: Path, wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        settings_for(tmp_path, **wrong)

    assert settings_problems(caught.value)[0].startswith(name)


@pytest.mark.parametrize("address", ["udp://host:514", "tcp://[::1]:601", "unix:///dev/log"])
def test_the_three_forms_of_an_address_are_taken(tmp_path: Path, address: str) -> None:
    settings = settings_for(tmp_path, audit_sink="file, syslog", audit_syslog_address=address)

    assert settings.audit_sink == ("file", "syslog")

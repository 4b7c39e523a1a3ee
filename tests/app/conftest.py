"""One gateway with fixture tools for all tests of a module, in process or on a socket; and an empty environment."""

from pathlib import Path

import pytest

from app.settings import Settings
from tests.edge import edge
from tests.socket_client import server

__all__ = ["edge", "server"]


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable and no `.env` of the machine that runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)

"""What is handed to training is handed on unchanged."""

from app.internal_api.training.sources import Tools
from tests.app.internal_api.support import FakeEngine, FakeWeb, chunk


def test_tools_are_plain_values() -> None:
    web = FakeWeb()

    assert Tools(FakeEngine(), web.fetch, chunk) == Tools(FakeEngine(), web.fetch, chunk)

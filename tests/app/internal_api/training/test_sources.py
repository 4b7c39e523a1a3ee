"""What is handed to training is handed on unchanged."""

from app.internal_api.training.sources import Reading, Tools
from tests.app.internal_api.support import FakeEngine, FakeWeb, chunk, extract


def test_readings_and_tools_are_plain_values() -> None:
    web = FakeWeb()

    assert Tools(FakeEngine(), web.fetch, chunk) == Tools(FakeEngine(), web.fetch, chunk)
    assert Reading.__slots__ == ("fetch", "extract", "chunk", "search")
    assert extract(b"x", filename="a", media_type=None).text == "x"

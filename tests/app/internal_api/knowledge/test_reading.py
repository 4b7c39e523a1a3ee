"""What reads documents is handed on unchanged."""

from app.internal_api.knowledge.reading import Reading
from tests.app.internal_api.support import chunk, extract


def test_readings_are_plain_values() -> None:
    assert Reading.__slots__ == ("fetch", "extract", "chunk", "search")
    assert extract(b"x", filename="a", media_type=None).text == "x"
    assert [piece.text for piece in chunk(extract(b"x\n\ny", filename="a", media_type=None))] == ["x", "y"]

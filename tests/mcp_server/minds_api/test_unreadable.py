"""Each of the internal API's words for what it could not read has an explanation of its own."""

import re
from pathlib import Path

from mcp_server.minds_api.unreadable import UNREADABLE

ROOT = Path(__file__).parents[3]


def test_no_two_words_are_explained_alike() -> None:
    assert len(set(UNREADABLE.values())) == len(UNREADABLE)


def test_every_word_that_the_embedded_api_refuses_sources_with_is_explained() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "app/internal_api/knowledge").rglob("*.py"))

    words = set(re.findall(r'SourceRefused\(\s*"([a-z_]+)"', sources))

    assert len(words) > 5
    assert words <= UNREADABLE.keys()

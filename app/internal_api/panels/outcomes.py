"""What became of a persona that was asked, as the values of its answer rows. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.internal_api.engines.engine import SurveyAnswer
from app.internal_api.engines.snippets import snippet
from app.internal_api.knowledge.documents import Passage

LONGEST_CODE = 32  # characters of an error code or an origin, as the table has room for


@dataclass(frozen=True, slots=True)
class Outcome:
    """A mind that is done, and what to write to its rows."""

    mind_id: str
    values: Mapping[str, Any]


def answered(mind_id: str, said: SurveyAnswer, sources: Mapping[str, str]) -> Outcome:
    """`sources` says, for each cited item, what is shown of it."""
    message = storable(said.message)
    values = {
        "status": "answered",
        "value": storable(said.value),
        "raw_value": storable(said.raw_value),
        "message": message,
        "sentiment": _clamped(said.sentiment),
        "origin": said.origin[:LONGEST_CODE],
        "unsupported": said.unsupported,
        "chunks_found": said.chunks_found,
        "citations": [_citation(passage, sources.get(passage.item_id), message) for passage in said.citations],
        "engine": said.engine[:200],
    }
    return Outcome(mind_id, values)


def failed(mind_id: str, error_code: str) -> Outcome:
    return Outcome(mind_id, {"status": "failed", "error_code": error_code[:LONGEST_CODE]})


def timed_out(mind_id: str) -> Outcome:
    return Outcome(mind_id, {"status": "timeout", "error_code": "TIMEOUT"})


def storable(text: str) -> str:
    """Without what a database or UTF-8 cannot take: PostgreSQL stores no NUL, and half a surrogate pair is no text."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _clamped(sentiment: float | None) -> float | None:
    """None where the engine gives none."""
    return None if sentiment is None else min(max(sentiment, -1.0), 1.0)


def _citation(passage: Passage, source: str | None, message: str) -> dict[str, Any]:
    return {
        "id": passage.chunk_id,
        "title": passage.title,
        "source": source or passage.title,
        "link": passage.link,
        "page": passage.page,
        "snippet": snippet(passage.text, message),
        "similarity": round(min(max(passage.similarity, 0.0), 1.0), 4),
    }

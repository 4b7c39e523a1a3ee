"""The persona and the passage that the tests vary."""

from app.internal_api.engines.engine import Persona
from app.internal_api.knowledge.documents import Passage

ADA = Persona(
    id="0b0b5c1e-0000-4000-8000-000000000001",
    name="Ada Lovelace",
    description="",
    discipline="Coffee",
    type="expert",
    tags=(),
    system_prompt=None,
    source_policy="auto",
)


def passage(text: str, title: str = "Notes", heading: str | None = None, similarity: float = 0.5) -> Passage:
    """A passage that says this."""
    return Passage(
        chunk_id=f"chunk of {title}",
        item_id=title,
        text=text,
        title=title,
        link=None,
        page=None,
        heading=heading,
        similarity=similarity,
    )

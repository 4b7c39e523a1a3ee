"""What training needs from outside the database, handed in by the composition."""

from collections.abc import Callable
from dataclasses import dataclass

from app.internal_api.engines.engine import PersonaEngine
from app.internal_api.knowledge.documents import Chunk, Document
from app.internal_api.knowledge.reading import Fetch


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything the stages work with."""

    persona_engine: PersonaEngine
    fetch: Fetch
    chunk: Callable[[Document], list[Chunk]]

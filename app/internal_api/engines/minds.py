"""A stored mind as a persona. Pure."""

from app.internal_api.engines.engine import Persona
from app.internal_api.store.minds import Mind


def persona_of(mind: Mind) -> Persona:
    """The mind as the persona engine sees it."""
    return Persona(
        id=mind.id,
        name=mind.name,
        description=mind.description,
        discipline=mind.discipline,
        type=mind.type,
        tags=tuple(mind.tags),
        system_prompt=mind.system_prompt,
        source_policy=mind.source_policy,
    )

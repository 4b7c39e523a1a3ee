"""A mind speaks as the persona that its owner made."""

from dataclasses import replace

from app.internal_api.engines.engine import Persona, persona_of
from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from tests.app.internal_api.support import ADA, KEYWORDS


def test_the_engine_is_told_who_the_mind_is_and_not_whose() -> None:
    asked = CreateMind.model_validate({**KEYWORDS, "tags": ["calm"], "sourcePolicy": "knowledge_only"})
    mind = replace(draft_mind(asked, ADA.user_id, 0), system_prompt="You are Ada.")

    persona = persona_of(mind)

    expert = ("Ada", "Created via API", "Tea", "expert", ("calm",), "You are Ada.", "knowledge_only")
    assert persona == Persona(mind.id, *expert)

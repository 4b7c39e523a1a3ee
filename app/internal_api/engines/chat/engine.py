"""The engine with a language model behind it: any OpenAI-compatible chat endpoint."""

from collections.abc import Sequence
from typing import Annotated

import structlog
from pydantic import BaseModel, Field, StringConstraints

from app.internal_api.engines.chat.citations import cite, declines, find_object, neutral, without_marks
from app.internal_api.engines.chat.endpoint import ChatEndpoint
from app.internal_api.engines.chat.prompts import (
    MOST_SOURCES,
    answer_messages,
    character_messages,
    profile_messages,
)
from app.internal_api.engines.chat.survey import ask_survey
from app.internal_api.engines.engine import (
    KNOWLEDGE_ONLY,
    Answer,
    Persona,
    Profile,
    SurveyAnswer,
    SurveyQuestion,
    Turn,
)
from app.internal_api.engines.extractive.engine import ExtractiveEngine, decline, is_question
from app.internal_api.engines.extractive.profiles import write_prompt
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage

log = structlog.get_logger()

ENGINE = "openai-compatible"
_LONGEST_CHARACTER = 1_500
_MOST_TRAITS = 8


class LanguageModelEngine(ExtractiveEngine):
    """Asks a model, and takes from its answer only citations that exist.

    Under `knowledge_only` nothing that is not cited leaves this engine, and without passages the model is not asked:
    the extractive engine answers, which says so. Every method may raise EngineUnavailable.
    """

    def __init__(self, endpoint: ChatEndpoint, model: str) -> None:
        self._complete = endpoint.complete
        self.name = f"{ENGINE}:{model}"

    async def answer(
        self,
        persona: Persona,
        turns: Sequence[Turn],
        passages: Sequence[Passage],
        *,
        language: str | None = None,
    ) -> Answer:
        """Answer the last turn; no turns means a greeting."""
        closed = persona.source_policy == KNOWLEDGE_ONLY
        if closed and not passages:
            return await super().answer(persona, turns, passages)
        text = await self._complete(answer_messages(persona, turns, passages, language))
        asks, spoken, declined = is_question(persona, turns), without_marks(text), declines(text)
        if not (spoken or declined):
            # A model without a word is not out of order: the persona has nothing to say on that.
            log.warning("persona_engine.empty_answer", mind=persona.id)
            if not asks:
                return await super().answer(persona, turns, passages)
        content, used = cite(text, min(len(passages), MOST_SOURCES))
        uncited = closed and asks and not used
        if declined or uncited or not spoken:
            said = "" if uncited else spoken
            return Answer(said or decline(persona, passages), (), "unsupported", ENGINE, len(passages))
        cited = tuple(passages[number] for number in used)
        return Answer(content, cited, "mind_knowledge" if cited else "mind_personality", ENGINE, len(passages))

    async def profile(self, persona: Persona, keywords: Sequence[str], context: str) -> Profile:
        """Say who the persona is; by its owner's own words where the model gives no profile that can be read."""
        written = find_object(await self._complete(profile_messages(persona, keywords, context)), _WrittenProfile)
        if written is None:
            # Some models answer prose whatever they are asked for; that must not keep a mind from being trained.
            log.warning("persona_engine.unreadable_profile", mind=persona.id)
            return await super().profile(persona, keywords, context)
        discipline, description, *traits = (
            neutral(one_line(each)) for each in [written.discipline, written.description, *written.traits]
        )
        return Profile(discipline, description, tuple(filter(None, traits))[:_MOST_TRAITS])

    async def prompt(self, persona: Persona, profile: Profile, outline: Sequence[str]) -> str:
        """Write the system prompt; the model gives the voice only."""
        text = await self._complete(character_messages(persona, profile, outline))
        return write_prompt(persona, profile, outline, without_marks(text)[:_LONGEST_CHARACTER])

    async def survey(self, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer a survey question in character."""
        return await ask_survey(self._complete, ENGINE, persona, question, passages)


def create_engine(settings: EngineSettings) -> ExtractiveEngine:
    """The engine behind `LLM_BASE_URL`, or the offline one when that is unset."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return ExtractiveEngine()
    return LanguageModelEngine(ChatEndpoint(settings), settings.llm_model)


class _WrittenProfile(BaseModel):
    discipline: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    description: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    traits: list[Annotated[str, StringConstraints(max_length=200)]] = Field([], max_length=50)

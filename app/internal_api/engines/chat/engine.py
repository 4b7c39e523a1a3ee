"""The engine with a language model behind it: any OpenAI-compatible chat endpoint."""

from collections.abc import Sequence
from typing import Annotated

import structlog
from pydantic import BaseModel, Field, StringConstraints

from app.internal_api.engines.chat.citations import cite, declines, find_object, neutral, without_marks
from app.internal_api.engines.chat.endpoint import EMPTY, ChatEndpoint
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
    EngineUnavailable,
    Persona,
    PersonaEngine,
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


class LanguageModelEngine:
    """Asks a model, and takes from its answer only citations that exist.

    Under `knowledge_only` nothing that is not cited leaves this engine, and without passages the model is not asked:
    the extractive engine answers, which says so.
    """

    def __init__(self, endpoint: ChatEndpoint, model: str) -> None:
        self._endpoint = endpoint
        self._extractive = ExtractiveEngine()
        self.name = f"{ENGINE}:{model}"

    async def answer(
        self,
        persona: Persona,
        turns: Sequence[Turn],
        passages: Sequence[Passage],
        *,
        language: str | None = None,
    ) -> Answer:
        """Answer the last turn; no turns means a greeting. Raises EngineUnavailable."""
        closed = persona.source_policy == KNOWLEDGE_ONLY
        if closed and not passages:
            return await self._extractive.answer(persona, turns, passages)
        try:
            text = await self._endpoint.complete(answer_messages(persona, turns, passages, language))
        except EngineUnavailable as fault:
            if fault.kind != EMPTY:
                raise
            text = ""
        asks = is_question(persona, turns)
        if not (without_marks(text) or declines(text)):
            # A model without a word is not out of order: the persona has nothing to say on that.
            log.warning("persona_engine.empty_answer", mind=persona.id)
            if not asks:
                return await self._extractive.answer(persona, turns, passages)
            return Answer(decline(persona, passages), (), "unsupported", ENGINE, len(passages))
        content, used = cite(text, min(len(passages), MOST_SOURCES))
        uncited = closed and not used and asks
        if declines(text) or uncited:
            declined = "" if uncited else without_marks(text)
            return Answer(declined or decline(persona, passages), (), "unsupported", ENGINE, len(passages))
        cited = tuple(passages[number] for number in used)
        return Answer(content, cited, "mind_knowledge" if cited else "mind_personality", ENGINE, len(passages))

    async def profile(self, persona: Persona, keywords: Sequence[str], context: str) -> Profile:
        """Say who the persona is; by its owner's own words where the model gives no profile that can be read.

        Raises:
            EngineUnavailable: the model gave no answer.

        """
        profile = read_profile(await self._endpoint.complete(profile_messages(persona, keywords, context)))
        if profile is None:
            # Some models answer prose whatever they are told; that must not keep a mind from being trained.
            log.warning("persona_engine.unreadable_profile", mind=persona.id)
            return await self._extractive.profile(persona, keywords, context)
        return profile

    async def prompt(self, persona: Persona, profile: Profile, outline: Sequence[str]) -> str:
        """Write the system prompt; the model gives the voice only. Raises EngineUnavailable."""
        text = await self._endpoint.complete(character_messages(persona, profile, outline))
        return write_prompt(persona, profile, outline, without_marks(text)[:_LONGEST_CHARACTER])

    async def survey(self, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer a survey question in character. Raises EngineUnavailable."""
        return await ask_survey(self._endpoint.complete, ENGINE, persona, question, passages)

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        await self._endpoint.aclose()


def create_engine(settings: EngineSettings) -> PersonaEngine:
    """The engine behind `LLM_BASE_URL`, or the offline one when that is unset."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return ExtractiveEngine()
    return LanguageModelEngine(ChatEndpoint(settings), settings.llm_model)


class _WrittenProfile(BaseModel):
    discipline: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    description: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    traits: list[Annotated[str, StringConstraints(max_length=200)]] = Field([], max_length=50)


def read_profile(text: str) -> Profile | None:
    """The profile in a model's answer; None where there is none."""
    written = find_object(text, _WrittenProfile)
    if written is None:
        return None
    discipline, description, *traits = (
        neutral(one_line(each)) for each in [written.discipline, written.description, *written.traits]
    )
    return Profile(discipline, description, tuple(filter(None, traits))[:_MOST_TRAITS])

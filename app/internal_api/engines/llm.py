"""The engine with a language model behind it: any OpenAI-compatible chat endpoint."""

from collections.abc import Sequence

import structlog

from app.internal_api.engines.chat.citations import cite, declines, without_marks
from app.internal_api.engines.chat.endpoint import EMPTY, ChatEndpoint
from app.internal_api.engines.chat.material import MOST_SOURCES
from app.internal_api.engines.chat.profiles import UnreadableProfile, read_profile
from app.internal_api.engines.chat.prompts import (
    answer_messages,
    character_messages,
    profile_messages,
)
from app.internal_api.engines.chat.surveying import ask_survey
from app.internal_api.engines.engine import (
    Answer,
    EngineUnavailable,
    Persona,
    Profile,
    SurveyAnswer,
    SurveyQuestion,
    Turn,
)
from app.internal_api.engines.extractive.engine import OfflineEngine, decline, is_question
from app.internal_api.engines.extractive.profiles import write_prompt
from app.internal_api.knowledge.documents import Passage

log = structlog.get_logger()

ENGINE = "openai-compatible"
_KNOWLEDGE_ONLY = "knowledge_only"
_LONGEST_CHARACTER = 1_500


class LanguageModelEngine:
    """Asks a model, and takes from its answer only citations that exist.

    Under `knowledge_only` nothing that is not cited leaves this engine, and without passages the model is not asked:
    the offline engine answers, which says so.
    """

    def __init__(self, endpoint: ChatEndpoint, model: str) -> None:
        self._endpoint = endpoint
        self._offline = OfflineEngine()
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
        closed = persona.source_policy == _KNOWLEDGE_ONLY
        if closed and not passages:
            return await self._offline.answer(persona, turns, passages, language=language)
        text = await self._said(persona, turns, passages, language)
        if not (without_marks(text) or declines(text)):
            return await self._silent(persona, turns, passages, language)
        content, used = cite(text, min(len(passages), MOST_SOURCES))
        strays = closed and not used and is_question(persona, turns)
        if declines(text) or strays:
            said = "" if strays else without_marks(text)
            return _answer(said or decline(persona, turns, passages, language), (), passages, "unsupported")
        cited = tuple(passages[number] for number in used)
        return _answer(content, cited, passages, "mind_knowledge" if cited else "mind_personality")

    async def profile(self, persona: Persona, keywords: Sequence[str], context: str) -> Profile:
        """Say who the persona is; by its owner's own words where the model gives no profile that can be read.

        Raises:
            EngineUnavailable: the model gave no answer.

        """
        text = await self._endpoint.complete(profile_messages(persona, keywords, context))
        try:
            return read_profile(text)
        except UnreadableProfile:
            # Some models answer prose whatever they are told; that must not keep a mind from being trained.
            log.warning("persona_engine.unreadable_profile", mind=persona.id)
            return await self._offline.profile(persona, keywords, context)

    async def prompt(self, persona: Persona, profile: Profile, outline: Sequence[str]) -> str:
        """Write the system prompt; the model gives the voice only. Raises EngineUnavailable."""
        text = await self._endpoint.complete(character_messages(persona, profile, outline))
        return write_prompt(persona, profile, outline, without_marks(text)[:_LONGEST_CHARACTER])

    async def survey(self, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer a survey question in character. Raises EngineUnavailable."""
        return await ask_survey(self._endpoint.complete, ENGINE, persona, question, passages)

    async def _said(
        self, persona: Persona, turns: Sequence[Turn], passages: Sequence[Passage], language: str | None
    ) -> str:
        try:
            return await self._endpoint.complete(answer_messages(persona, turns, passages, language))
        except EngineUnavailable as fault:
            if fault.kind != EMPTY:
                raise
            return ""

    async def _silent(
        self, persona: Persona, turns: Sequence[Turn], passages: Sequence[Passage], language: str | None
    ) -> Answer:
        """A model without a word is not out of order: the persona has nothing to say on that."""
        log.warning("persona_engine.empty_answer", mind=persona.id)
        if not is_question(persona, turns):
            return await self._offline.answer(persona, turns, passages, language=language)
        return _answer(decline(persona, turns, passages, language), (), passages, "unsupported")

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        await self._endpoint.aclose()


def _answer(content: str, cited: tuple[Passage, ...], passages: Sequence[Passage], origin: str) -> Answer:
    return Answer(
        content=content,
        citations=cited,
        origin=origin,
        fallback_status="grounded" if cited else "fallback",
        unsupported=origin == "unsupported",
        engine=ENGINE,
        chunks_found=len(passages),
        retrieval_attempted=True,
    )

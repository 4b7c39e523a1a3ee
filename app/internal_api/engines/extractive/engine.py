"""The engine that needs no account: it quotes the passages it is given, and says when they do not answer."""

import asyncio
from collections.abc import Sequence

from app.internal_api.engines.engine import Answer, Persona, Profile, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive import voice
from app.internal_api.engines.extractive.choosing import choose
from app.internal_api.engines.extractive.intents import Intent
from app.internal_api.engines.extractive.profiles import write_profile, write_prompt
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.selection import Cover
from app.internal_api.engines.extractive.survey.respond import respond
from app.internal_api.engines.extractive.topics import topics_of
from app.internal_api.knowledge.documents import Passage


class OfflineEngine:
    """Deterministic and extractive: the same persona, question and passages give the same answer."""

    name = "offline"

    async def answer(
        self,
        persona: Persona,
        turns: Sequence[Turn],
        passages: Sequence[Passage],
        *,
        language: str | None = None,
    ) -> Answer:
        """Answer the last message of the person; without one, greet."""
        question = read_question(turns, persona.name, language)
        topics = topics_of(persona, passages)
        if not question.text or question.intent is not Intent.QUESTION:
            return self._told(voice.personal(question, persona, topics), "mind_personality", len(passages))
        chosen = choose(question, passages)
        if chosen.cover is Cover.NONE:
            return self._told(voice.nothing(question, persona, topics), "unsupported", len(passages))
        numbers, cited = voice.citations(chosen.units, passages)
        return Answer(
            content=voice.quote(question, persona, chosen, numbers),
            citations=cited,
            origin="mind_knowledge",
            fallback_status="grounded",
            unsupported=False,
            engine=self.name,
            chunks_found=len(passages),
            retrieval_attempted=True,
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    async def profile(self, persona: Persona, keywords: Sequence[str], context: str) -> Profile:
        """Say who the persona is from its own few words."""
        return write_profile(persona, keywords, context)

    async def prompt(self, persona: Persona, profile: Profile, outline: Sequence[str]) -> str:
        """Write the rules that the persona answers by, with the topics of its knowledge."""
        return write_prompt(persona, profile, outline)

    async def survey(self, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer a survey question from the passages and the persona's disposition. Raises EngineUnavailable.

        It is some milliseconds of pure computing, which would hold up the event loop when hundreds answer.
        """
        return await asyncio.to_thread(respond, self.name, persona, question, passages)

    def _told(self, content: str, origin: str, found: int) -> Answer:
        return Answer(
            content=content,
            citations=(),
            origin=origin,
            fallback_status="fallback",
            unsupported=origin == "unsupported",
            engine=self.name,
            chunks_found=found,
            retrieval_attempted=origin == "unsupported" or found > 0,
        )


def decline(persona: Persona, turns: Sequence[Turn], passages: Sequence[Passage], language: str | None) -> str:
    """The words for having nothing on the last question."""
    return voice.nothing(read_question(turns, persona.name, language), persona, topics_of(persona, passages))


def is_question(persona: Persona, turns: Sequence[Turn]) -> bool:
    """Whether the last message asks for knowledge, and not for a greeting or for the persona itself."""
    question = read_question(turns, persona.name, None)
    return bool(question.text) and question.intent is Intent.QUESTION

"""Answers by a language model of the caller's own: what it would be asked, and an engine that takes its replies."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

from app.internal_api.engines.chat.endpoint import MOST_CHARACTERS, Endpoint, Message, without_thoughts
from app.internal_api.engines.chat.engine import LanguageModelEngine
from app.internal_api.engines.engine import Answer, EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.knowledge.documents import Passage
from app.internal_api.store.minds import Mind

ENGINE = "client-sampling"


class NotSampled(EngineUnavailable):
    """The caller's model was not asked, or said nothing."""


class SampledReplies(Endpoint):
    """Stands where an endpoint is. `replies` are by the ids of their prompts; a prompt without one goes to `wanted`.
    Where one is empty, the model was asked in vain.

    The id is a digest of the messages, so that a reply is never taken for an answer to other sources or words.
    """

    def __init__(self, replies: Mapping[str, str]) -> None:
        self._replies = replies
        self.wanted: dict[str, list[Message]] = {}

    async def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, long: int = 1
    ) -> str:
        """The reply to these messages. Raises NotSampled: there is none."""
        del schema  # a client's model cannot be held to one
        identity = sha256(orjson.dumps(list(messages))).hexdigest()
        if not (said := without_thoughts(self._replies.get(identity, ""))):
            self.wanted[identity] = [*messages]
            kind = "sampled_in_vain" if identity in self._replies else "not_sampled"
            raise NotSampled("The caller's model did not answer this.", retryable=False, kind=kind)
        return said[: MOST_CHARACTERS * long]


class SampledEngine(LanguageModelEngine):
    """Answers with what the caller's model replied, checked like every model's; the offline engine does the rest."""

    # Without a model: the client is asked before there are answers to code.
    code = ExtractiveEngine.code

    def __init__(self, replies: SampledReplies, model: str) -> None:
        super().__init__(replies, model, kind=ENGINE)
        self.kind = self.name  # each answer names the model: another call may bring another one

    async def answer(
        self, persona: Mind, turns: Sequence[Turn], passages: Sequence[Passage], *, language: str | None = None
    ) -> Answer:
        try:
            return await super().answer(persona, turns, passages, language=language)
        except NotSampled:
            return await ExtractiveEngine.answer(self, persona, turns, passages, language=language)

    async def survey(self, persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        try:
            return await super().survey(persona, question, passages)
        except NotSampled as failure:
            try:
                return await ExtractiveEngine.survey(self, persona, question, passages)
            except EngineUnavailable:
                raise failure from None  # nobody knows what it would have said: that is no abstention

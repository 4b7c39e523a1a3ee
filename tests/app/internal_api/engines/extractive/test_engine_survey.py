"""The offline engine's answers to survey questions, through its own door."""

import asyncio
from dataclasses import replace

import pytest

from app.internal_api.engines.engine import EngineUnavailable, SurveyQuestion
from app.internal_api.engines.extractive.engine import OfflineEngine
from tests.app.internal_api.engines.people import ADA
from tests.app.internal_api.engines.texts import ESPRESSO, passages_of

KNOWN = passages_of(ESPRESSO, "Espresso guide")


async def test_a_survey_is_answered_by_the_engine_beside_the_loop() -> None:
    question = SurveyQuestion("How good is a burr grinder?", "scale", scale=(1, 5))

    answers = await asyncio.gather(*(OfflineEngine().survey(ADA, question, KNOWN) for _ in range(3)))

    assert len(set(answers)) == 1
    assert answers[0].engine == "offline"
    assert answers[0].citations[0].heading == "Grind size"
    assert 1 <= int(answers[0].value) <= 5


async def test_a_survey_beyond_a_closed_personas_knowledge_is_refused() -> None:
    closed = replace(ADA, source_policy="knowledge_only")
    question = SurveyQuestion("How worried are you about data privacy?", "scale", scale=(1, 5))

    with pytest.raises(EngineUnavailable) as caught:
        await OfflineEngine().survey(closed, question, KNOWN)

    assert (caught.value.kind, caught.value.retryable) == ("unsupported", False)

"""Several questions of one call, in order."""

import asyncio
import time

import pytest
from structlog.testing import capture_logs

from mcp_server.errors import InvalidArguments, ServiceUnavailable
from mcp_server.toolsets.panels._ask.calls import StudyPlan
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._ask.planner import AskRequest
from mcp_server.toolsets.panels._ask.series import Series
from mcp_server.toolsets.panels._study import AskedQuestion

FIRST, SECOND = AskRequest("What is missing?"), AskRequest("What is too much?")


async def silent(_done: float, _total: float | None = None, _message: str | None = None) -> None:
    """Tell nobody."""


def test_the_same_question_twice_in_one_study_is_refused() -> None:
    with pytest.raises(InvalidArguments, match="two are the same"):
        StudyPlan((FIRST, AskRequest("what is  missing?"))).settled(None)


async def test_a_bug_on_the_way_to_the_next_question_ends_the_wait_and_is_told() -> None:
    def ask(place: int) -> tuple[AskJob, bool]:
        if place == 1:
            raise RuntimeError("a bug")
        return AskJob("panel", {"clientRequestId": "1", "question": FIRST.question}, []), False

    series = Series((FIRST, SECOND), ask)
    with capture_logs() as logs:
        task = series.begin()
        series.jobs[0].finish(AskedQuestion(id="1", text=FIRST.question, type="qualitative"))
        async with asyncio.timeout(5):
            await series.follow(0, silent, time.monotonic() + 60)
            await task

    assert isinstance(series.failure, ServiceUnavailable)
    assert [line["event"] for line in logs] == ["study_crashed"]


def test_the_same_words_with_other_options_are_another_question() -> None:
    plan = StudyPlan((AskRequest("Which?", options=("tea", "milk")), AskRequest("Which?", options=("rye", "spelt"))))

    assert plan.settled(None) is plan

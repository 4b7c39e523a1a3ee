"""Panels are found by what people call them; two exports at once are two files; a caller who leaves ends nothing."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.toolset import discover
from mcp_server.toolsets.panels._ask.calls import StudyPlan
from mcp_server.toolsets.panels._ask.planner import AskRequest
from mcp_server.toolsets.panels.models import PanelAnswer
from mcp_server.toolsets.panels.service import PanelService
from tests.edge import PATIENCE
from tests.mcp_server.toolsets.panels._ask.test_job import ASK, ID, PANEL, QUESTION, READ, RESULT
from tests.mcp_server.toolsets.panels.world import answer, asked, listing, output, run, summary, told
from tests.support import ADA, FakeApi, Reply, serve, signed_in


async def silent(_done: float, _total: float | None = None, _message: str | None = None) -> None:
    """Nobody asked to be told."""


@asynccontextmanager
async def opened(api: FakeApi) -> AsyncIterator[PanelService]:
    with signed_in(ADA):
        async with serve(api, discover(["panels"])) as gateway:
            yield gateway.runtime.services[PanelService]


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    api.answers["GET /studies"] = listing([summary("Pricing"), summary("Onboarding")])
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}})
    return api


@pytest.mark.parametrize(("name", "error"), [(None, InvalidArguments), ("", InvalidArguments), ("zebra", NotFound)])
async def test_a_panel_that_is_not_named_well_is_asked_back(
    api: FakeApi, name: str | None, error: type[Exception]
) -> None:
    async with opened(api) as service:
        with pytest.raises(error):
            await service.find(None, name)


async def test_two_exports_at_once_are_two_files(api: FakeApi) -> None:
    api.answers["GET /minds"] = listing([])
    async with opened(api) as service:
        panel = await service.find(None, "pricing")
        one, other = await asyncio.gather(*(service.export(panel, "md", None, bom=True) for _ in range(2)))

    assert one.url != other.url
    assert one.bytes == other.bytes


async def test_a_caller_who_leaves_ends_nothing(api: FakeApi) -> None:
    arrived, let_go = asyncio.Event(), asyncio.Event()

    async def later(_request: object) -> Reply:
        arrived.set()
        await let_go.wait()
        return run(RESULT)

    api.answers[ASK] = later
    async with opened(api) as service:
        panel = await service.find(ID, None)
        leaving = asyncio.create_task(service.ask(panel, StudyPlan((AskRequest(QUESTION),)), silent))
        await arrived.wait()
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        let_go.set()
        back = await service.ask(panel, StudyPlan((AskRequest(QUESTION),)), silent)

    assert leaving.cancelled()
    assert (back.status, back.done) == ("completed", 3)


STUDY = StudyPlan((AskRequest("First?"), AskRequest("Second?"), AskRequest("Third?")))


LONG_AGO = "2020-01-01T09:00:00.000Z"


class Held:
    """What the internal API is asked, and keeps once it is answered. `question` waits for a sign."""

    def __init__(self, api: FakeApi, question: str = "First?") -> None:
        self.may_answer, self.arrived, self.kept = asyncio.Event(), asyncio.Event(), dict[str, str]()
        self._question, self.ended_at = question, LONG_AGO
        api.answers[ASK], api.answers[READ] = self._ask, self._panel

    @property
    def questions(self) -> list[str]:
        return list(self.kept.values())

    async def _ask(self, request: httpx2.Request) -> Reply:
        body = json.loads(request.content)
        if body["question"] == self._question:
            self.arrived.set()
            await self.may_answer.wait()
        self.kept[body["clientRequestId"]] = body["question"]
        return run(RESULT)

    def _panel(self, _request: httpx2.Request) -> Reply:
        messages: list[Any] = []
        for identity, text in self.kept.items():
            block = f"b-{identity}"
            messages.append(
                asked(text, at=LONG_AGO, clientRequestId=identity, questionBlockId=block, status="completed")
            )
            messages.append(told(text, RESULT, questionBlockId=block) | {"createdAt": self.ended_at})
        return Reply({"data": {**PANEL, "messages": messages}})


async def ended(service: PanelService) -> None:
    """Until nothing is being asked any more."""
    async with asyncio.timeout(PATIENCE):
        while service._calls._tasks or service._calls.jobs._tasks:  # noqa: ASYNC110  it has no event
            await asyncio.sleep(0)


async def test_once_its_call_is_cancelled_a_study_asks_no_further_and_the_same_call_goes_on(api: FakeApi) -> None:
    held = Held(api)
    async with opened(api) as service:
        leaving = asyncio.create_task(service.ask(await service.find(ID, None), STUDY, silent))
        await held.arrived.wait()
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        held.may_answer.set()
        await ended(service)
        so_far = held.questions
        back = await service.ask(await service.find(ID, None), STUDY, silent)

    assert leaving.cancelled()
    assert so_far == ["First?"]
    assert (back.status, back.resumed, back.waiting) == ("completed", True, ())
    assert [body["question"] for body in api.sent_json(ASK)] == ["First?", "Second?", "Third?"]


@pytest.mark.parametrize("comes_late", [False, True])
async def test_a_study_that_another_call_waits_for_goes_on(api: FakeApi, *, comes_late: bool) -> None:
    held = Held(api)
    async with opened(api) as service:
        panel = await service.find(ID, None)

        def call() -> asyncio.Task[PanelAnswer]:
            return asyncio.create_task(service.ask(panel, STUDY, silent))

        leaving, staying = call(), None if comes_late else call()
        await held.arrived.wait()
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        staying = staying or call()
        await asyncio.sleep(0)
        held.may_answer.set()
        stayed = await staying

    assert (stayed.status, held.questions) == ("completed", ["First?", "Second?", "Third?"])


async def test_a_study_whose_call_has_ended_in_time_goes_on(api: FakeApi) -> None:
    held = Held(api)
    async with opened(api) as service:
        service._calls._patience = 0.0
        told_so_far = await service.ask(await service.find(ID, None), STUDY, silent)
        held.may_answer.set()
        await ended(service)

    assert (told_so_far.status, told_so_far.waiting) == ("processing", ("Second?", "Third?"))
    assert held.questions == ["First?", "Second?", "Third?"]


async def asked_again(service: PanelService) -> PanelAnswer:
    return await service.ask(await service.find(ID, None), STUDY, silent)


@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_the_same_call_shows_what_nobody_was_told_and_measures_anew_once_somebody_was(
    api: FakeApi, *, is_cancelled: bool, is_read: bool
) -> None:
    held = Held(api, "Third?")
    async with opened(api) as service:
        service._calls._patience = 45.0 if is_cancelled else 0.0
        first = asyncio.create_task(asked_again(service))
        await held.arrived.wait()
        if is_cancelled:
            first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        held.may_answer.set()
        await ended(service)
        service._calls._patience = 45.0
        if is_read:
            await service.results(await service.find(ID, None), None)
        answers = [await asked_again(service) for _ in range(2)]

    assert [(one.status, one.resumed) for one in answers] == [("completed", not is_read), ("completed", False)]
    assert len(api.sent(ASK)) == (9 if is_read else 6)


@pytest.mark.parametrize(("ended_at", "is_shown"), [(None, True), (LONG_AGO, False)])
async def test_a_result_that_came_only_after_a_restart_is_what_the_same_call_shows_once(
    api: FakeApi, ended_at: str | None, *, is_shown: bool
) -> None:
    held = Held(api)
    held.may_answer.set()
    async with opened(api) as before:
        await asked_again(before)
    async with opened(api) as service:
        held.ended_at = ended_at or datetime.now(UTC).isoformat()
        answers = [await asked_again(service) for _ in range(2)]

    assert [one.resumed for one in answers] == [is_shown, False]
    assert len(api.sent(ASK)) == (6 if is_shown else 9)


async def test_who_waits_for_a_question_of_somebody_else_does_not_hide_what_is_stored(api: FakeApi) -> None:
    """Its id is not told, so nothing streams here: what the panel holds is shown, not what was heard."""
    block: dict[str, Any] = {"questionBlockId": "block", "status": "running", "total": 3, "audienceIds": []}
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION, **block)]}})
    stored = output(QUESTION, {"Owners": [answer("Mia", "9")], "Guests": []})
    api.answers[f"{READ}/messages/block/answers"] = Reply({"outputData": stored})
    async with opened(api) as service:
        panel = await service.find(ID, None)
        waiting = asyncio.create_task(service.ask(panel, StudyPlan((AskRequest(QUESTION),)), silent))
        await asyncio.sleep(0)
        shown = await service.results(panel, None)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    assert not api.sent(ASK)
    assert [(one.status, one.overall.n) for one in shown.questions] == [("processing", 1)]

"""Questions go on when nobody waits for them; there is a bound for each owner, and closing lets go of all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mcp_server.caller import current_caller
from mcp_server.errors import AlreadyRunning, ServiceUnavailable
from mcp_server.toolset import discover
from mcp_server.toolsets.panels._asking import Asking
from mcp_server.toolsets.panels._askings import MOST, Askings
from mcp_server.toolsets.panels._studies import Studies
from tests.mcp_server.toolsets.panels.spoken import SpokenApi
from tests.mcp_server.toolsets.panels.test_asking import ASK, GROUPS, ID, RESULT, no_pause
from tests.mcp_server.toolsets.panels.test_asking import studies as opened
from tests.mcp_server.toolsets.panels.world import run, stream
from tests.support import ADA, Reply, serve


def question(text: str) -> Asking:
    return Asking(ID, {"question": text, "clientRequestId": f"request {text}"}, GROUPS)


@asynccontextmanager
async def held(api: SpokenApi) -> AsyncIterator[tuple[Askings, asyncio.Event]]:
    """Askings of an API that answers when it is let go."""
    let_go = asyncio.Event()

    async def later(_request: object) -> Reply:
        await let_go.wait()
        return run(RESULT)

    api.answers[ASK] = later
    async with opened(api) as studies:
        askings = Askings(studies, pause=no_pause)
        yield askings, let_go
        await askings.close()


async def test_a_question_is_found_again_while_it_is_being_answered(api: SpokenApi) -> None:
    async with held(api) as (askings, let_go):
        begun = askings.begin("ada", question("Why?"))

        assert askings.find("ada", ID, " why? ", GROUPS) is begun
        assert askings.find_by_id("ada", ID, "request Why?") is begun
        assert askings.find("bob", ID, "Why?", GROUPS) is None
        assert askings.find("ada", ID, "Why?", GROUPS[:1]) is None
        assert askings.find_by_id("bob", ID, "request Why?") is None
        let_go.set()
        async for _ in begun.follow(10):
            pass


async def test_an_answered_question_is_forgotten(api: SpokenApi) -> None:
    async with held(api) as (askings, let_go):
        begun = askings.begin("ada", question("Why?"))
        let_go.set()
        async for _ in begun.follow(10):
            pass
        await asyncio.gather(*askings._tasks)

        assert askings.find("ada", ID, "Why?", GROUPS) is None
    assert begun.question().status == "completed"


async def test_a_question_that_was_given_up_is_remembered_until_it_is_asked_anew(api: SpokenApi) -> None:
    failed = stream({"type": "start", "total": 3}, {"type": "error", "status": 500})
    api.answers[ASK] = [failed, run(RESULT)]

    async with opened(api) as studies:
        askings = Askings(studies, pause=no_pause)
        askings.begin("ada", question("Why?"))
        await asyncio.gather(*askings._tasks)
        known = [askings.gave_up(owner, ID, "why?", GROUPS) for owner in ("ada", "bob")]
        askings.begin("ada", question("Why?"))
        await asyncio.gather(*askings._tasks)

        assert known == [True, False]
        assert not askings.gave_up("ada", ID, "Why?", GROUPS)


async def test_an_owner_has_so_many_questions_open_and_no_more(api: SpokenApi) -> None:
    async with held(api) as (askings, _):
        for number in range(MOST):
            askings.begin("ada", question(str(number)))

        with pytest.raises(AlreadyRunning):
            askings.begin("ada", question("one too many"))
        askings.begin("bob", question("his own"))


async def test_closing_lets_go_of_what_is_still_being_answered(api: SpokenApi) -> None:
    async with held(api) as (askings, _):
        begun = askings.begin("ada", question("Why?"))

        await askings.close()

        assert not begun.over
        assert askings.find("ada", ID, "Why?", GROUPS) is None


async def test_a_bug_in_reading_leaves_nobody_waiting(api: SpokenApi) -> None:
    class Broken(Studies):
        def ask(self, panel_id: str, body: object) -> object:  # type: ignore[override]  # as a bug would
            raise ZeroDivisionError

    token = current_caller.set(ADA)
    async with serve(api, discover(["panels"]), dialect=None) as gateway:
        askings = Askings(Broken(gateway.runtime.api, now=lambda: None), pause=no_pause)  # type: ignore[arg-type, return-value]  # never asked
        begun = askings.begin("ada", question("Why?"))
        async for _ in begun.follow(10):
            pass
    current_caller.reset(token)

    assert isinstance(begun.failure, ServiceUnavailable)

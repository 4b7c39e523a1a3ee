"""An ask runs to its end when nobody waits for it; a break is mended without asking anybody twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from mcp_server.errors import AlreadyRunning, RateLimitExceeded, ServiceUnavailable
from mcp_server.toolset import discover
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._ask.runner import MOST, MOST_LOOKS, AskJobs
from mcp_server.toolsets.panels._ask.runner import run as run_job
from mcp_server.toolsets.panels._minds.studies import Studies
from tests.mcp_server.toolsets.panels._ask.test_job import (
    ASK,
    GROUPS,
    ID,
    PANEL,
    QUESTION,
    READ,
    REQUEST,
    RESULT,
    new_job,
    no_pause,
    studies,
)
from tests.mcp_server.toolsets.panels.world import answer, asked, landed, output, run, stream, told
from tests.support import ADA, FakeApi, Reply, serve, signed_in


def of(*messages: dict[str, Any]) -> Reply:
    return Reply({"data": {**PANEL, "messages": list(messages)}})


async def run_to_end(api: FakeApi, job: AskJob) -> AskJob:
    async with studies(api) as endpoints:
        await run_job(job, endpoints, no_pause)
    return job


async def test_where_our_request_is_known_a_broken_stream_is_taken_up_again(api: FakeApi) -> None:
    api.answers[ASK] = [stream({"type": "start", "total": 3}), run(RESULT)]
    api.answers[READ] = of(asked(QUESTION, status="running", clientRequestId=REQUEST))

    one = await run_to_end(api, new_job())

    assert one.question().status == "completed"
    assert [body["clientRequestId"] for body in api.sent_json(ASK)] == [REQUEST, REQUEST]


async def test_what_is_stored_meanwhile_is_seen_while_it_is_waited_for(api: FakeApi) -> None:
    """A question that somebody else put, under an id that is not told, streams to nobody here."""
    question = asked(QUESTION, questionBlockId="block", status="running", total=3, audienceIds=[])
    stored = output(QUESTION, {"Owners": [answer("Mia", "9")], "Guests": []})
    api.answers[READ] = of(question)
    api.answers[f"{READ}/messages/block/answers"] = Reply({"outputData": stored})
    one = new_job(can_stream=False)
    seen: list[tuple[int, int]] = []

    async def look(_seconds: float) -> None:
        seen.append((one.done, one.total))
        if len(seen) > 2:
            one.fail(ServiceUnavailable())

    async with studies(api) as endpoints:
        await run_job(one, endpoints, look)

    assert seen == [(0, 3), (1, 3), (1, 3)]
    assert [reply.value for reply in one.question().replies if reply.status == "answered"] == ["9"]


@pytest.mark.parametrize("messages", [[], [asked("Another question?")]])
async def test_a_question_that_never_arrived_is_given_up(api: FakeApi, messages: list[Any]) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3})
    api.answers[READ] = of(*messages)

    one = await run_to_end(api, new_job())

    assert isinstance(one.failure, ServiceUnavailable)


async def test_what_never_ends_is_given_up(api: FakeApi) -> None:
    api.answers[READ] = of(asked(QUESTION))

    one = await run_to_end(api, new_job(can_stream=False))

    assert one.failure is not None
    assert len(api.asked) <= MOST_LOOKS + 1
    assert not api.sent(ASK)


async def test_an_api_that_cannot_be_reached_is_a_failure_at_once(api: FakeApi) -> None:
    api.answers[ASK] = httpx2.ConnectError("down")

    one = await run_to_end(api, new_job())

    assert isinstance(one.failure, ServiceUnavailable)
    assert READ not in {f"{request.method} {request.url.path.removeprefix('/api/v1')}" for request in api.asked}


BEGUN = stream({"type": "start", "total": 3})
ASKED, ANSWERED = asked(QUESTION), told(QUESTION, RESULT)
YESTERDAY = asked(QUESTION, at="2026-11-19T09:00:00.000Z")


@pytest.mark.parametrize(
    ("opening", "looks"),
    [
        (stream(), [of(ASKED, ANSWERED)]),
        (stream({"type": "ping"}), [of(ASKED, ANSWERED)]),
        (httpx2.ReadTimeout("slow"), [of(ASKED, ANSWERED)]),
        (BEGUN, [of(ASKED), of(ASKED), of(ASKED, ANSWERED)]),
        (BEGUN, [of(YESTERDAY), of(YESTERDAY, ANSWERED)]),
        (BEGUN, [*[Reply({}, 429)] * 4, of(ASKED, ANSWERED)]),
        (BEGUN, [*[Reply({}, 500)] * 4, of(ASKED, ANSWERED)]),
    ],
    ids=["nothing came", "a ping", "no head", "it takes time", "clocks differ", "looks limited", "looks fail"],
)
async def test_a_question_that_may_have_got_through_is_waited_for(
    api: FakeApi, opening: Any, looks: list[Reply]
) -> None:
    api.answers |= {ASK: opening, READ: looks}

    one = await run_to_end(api, new_job())

    assert one.question().status == "completed"
    assert len(api.sent_json(ASK)) == 1


async def test_what_landed_before_a_break_stays_where_the_transcript_is_shortened(api: FakeApi) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3}, landed("Mia", "Owners", "9"))
    shortened = output(QUESTION, {"Owners": [answer("Ben", "8")], "Guests": []})
    api.answers[READ] = of(asked(QUESTION), told(QUESTION, shortened))
    api.answers[f"{READ}/messages/{told(QUESTION, shortened)['id']}/answers"] = Reply({}, 404)

    one = await run_to_end(api, new_job())

    assert {(reply.persona, reply.value) for reply in one.question().replies} == {("Mia", "9"), ("Ben", "8")}
    assert one.question().notes


@pytest.mark.parametrize(
    ("answer", "gave_up"),
    [
        (stream({"type": "start", "total": 3}, {"type": "error", "status": 500}), True),
        (Reply({}, 500), False),
        (Reply({}, 429), False),
    ],
)
async def test_only_a_question_that_got_through_can_be_given_up(api: FakeApi, answer: Reply, gave_up: bool) -> None:
    api.answers[ASK] = answer

    one = await run_to_end(api, new_job())

    assert isinstance(one.failure, ServiceUnavailable | RateLimitExceeded)
    assert one.abandoned is gave_up


def question(text: str) -> AskJob:
    return AskJob(ID, {"question": text, "clientRequestId": f"request {text}"}, GROUPS)


@asynccontextmanager
async def held(api: FakeApi) -> AsyncIterator[tuple[AskJobs, asyncio.Event]]:
    """AskJobs of an API that answers when it is let go."""
    let_go = asyncio.Event()

    async def later(_request: object) -> Reply:
        await let_go.wait()
        return run(RESULT)

    api.answers[ASK] = later
    async with studies(api) as endpoints:
        jobs = AskJobs(endpoints, pause=no_pause)
        yield jobs, let_go
        await jobs.close()


async def test_a_question_is_found_again_while_it_is_being_answered(api: FakeApi) -> None:
    async with held(api) as (jobs, let_go):
        begun = jobs.start("ada", question("Why?"))

        assert jobs.find("ada", ID, " why? ", GROUPS) == [begun]
        assert jobs.find_by_id("ada", ID, "request Why?") is begun
        assert jobs.find("bob", ID, "Why?", GROUPS) == []
        assert jobs.find("ada", ID, "Why?", GROUPS[:1]) == []
        assert jobs.find_by_id("bob", ID, "request Why?") is None
        let_go.set()
        async for _ in begun.changes(10):
            pass


async def test_a_question_that_was_given_up_is_remembered_until_it_is_asked_anew(api: FakeApi) -> None:
    failed = stream({"type": "start", "total": 3}, {"type": "error", "status": 500})
    api.answers[ASK] = [failed, run(RESULT)]

    async with studies(api) as endpoints:
        jobs = AskJobs(endpoints, pause=no_pause)
        jobs.start("ada", question("Why?"))
        await asyncio.gather(*jobs._tasks)
        known = [jobs.was_abandoned(owner, ID, "why?", GROUPS) for owner in ("ada", "bob")]
        jobs.start("ada", question("Why?"))
        await asyncio.gather(*jobs._tasks)

        assert known == [True, False]
        assert not jobs.was_abandoned("ada", ID, "Why?", GROUPS)


async def test_what_an_answer_takes_is_measured_by_the_last_question(api: FakeApi) -> None:
    api.answers[ASK] = [run({**RESULT, "usage": {"calls": 3, "tokens": 600}}), run(RESULT)]
    async with studies(api) as endpoints:
        jobs, measured = AskJobs(endpoints, pause=no_pause), []
        for text in ("Why?", "And then?"):
            job = jobs.start("ada", question(text))
            await asyncio.gather(*jobs._tasks)
            measured.append((jobs.tokens, job.done))

    assert measured == [(200.0, 3), (200.0, 3)]  # where none are told, those of the question before


async def test_an_owner_has_so_many_questions_open_until_all_are_let_go(api: FakeApi) -> None:
    async with held(api) as (jobs, _):
        for number in range(MOST):
            jobs.start("ada", question(str(number)))

        with pytest.raises(AlreadyRunning):
            jobs.start("ada", question("one too many"))
        others = jobs.start("bob", question("his own"))
        await jobs.close()

        assert not others.over
        assert jobs.find("bob", ID, "his own", GROUPS) == []


async def test_a_bug_in_reading_leaves_nobody_waiting(api: FakeApi) -> None:
    class Broken(Studies):
        def ask(self, panel_id: str, body: object) -> object:  # type: ignore[override]  # as a bug would
            raise ZeroDivisionError

    async with serve(api, discover(["panels"])) as gateway:
        jobs = AskJobs(Broken(gateway.runtime.api, gateway.runtime.names, now=lambda: None), pause=no_pause)  # type: ignore[arg-type, return-value]  # never asked
        with signed_in(ADA):
            begun = jobs.start("ada", question("Why?"))
        async for _ in begun.changes(10):
            pass

    assert isinstance(begun.failure, ServiceUnavailable)


async def test_a_question_that_only_goes_on_measures_nothing(api: FakeApi) -> None:
    api.answers[ASK] = run(RESULT)
    async with studies(api) as endpoints:
        jobs = AskJobs(endpoints, pause=no_pause)
        jobs.start("ada", new_job(earlier=frozenset({REQUEST})))
        await asyncio.gather(*jobs._tasks)
        await asyncio.sleep(0)

        assert jobs.pace is None

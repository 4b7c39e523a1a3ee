"""A question is pursued to its end, and a break is mended without asking anybody twice."""

from typing import Any

import httpx2
import pytest

from mcp_server.errors import RateLimitExceeded, ServiceUnavailable
from mcp_server.toolsets.panels._pursuing import MOST_LOOKS, read
from tests.mcp_server.toolsets.panels.spoken import SpokenApi
from tests.mcp_server.toolsets.panels.test_asking import (
    ASK,
    PANEL,
    QUESTION,
    READ,
    REQUEST,
    RESULT,
    asking,
    no_pause,
    studies,
)
from tests.mcp_server.toolsets.panels.world import answer, asked, landed, output, run, stream, told
from tests.support import Reply


async def test_a_stream_is_read_to_its_end(api: SpokenApi) -> None:
    api.answers[ASK] = run(RESULT, landed("Mia", "Owners", "9"))
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.over
    assert [reply.value for reply in one.question().replies] == ["9", "8", "2"]
    assert one.question().id == REQUEST


async def test_where_our_request_is_known_a_broken_stream_is_taken_up_again(api: SpokenApi) -> None:
    api.answers[ASK] = [stream({"type": "start", "total": 3}), run(RESULT)]
    running = asked(QUESTION, status="running", clientRequestId=REQUEST)
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [running]}})
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.question().status == "completed"
    assert [body["clientRequestId"] for body in api.bodies[ASK]] == [REQUEST, REQUEST]


async def test_where_it_is_not_known_the_answer_is_waited_for(api: SpokenApi) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3})
    waiting = Reply({"data": {**PANEL, "messages": [asked(QUESTION)]}})
    finished = Reply({"data": {**PANEL, "messages": [asked(QUESTION), told(QUESTION, RESULT)]}})
    api.answers[READ] = [waiting, waiting, finished]
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.question().status == "completed"
    assert len(api.bodies[ASK]) == 1


async def test_what_is_stored_meanwhile_is_seen_while_it_is_waited_for(api: SpokenApi) -> None:
    """A question that somebody else put, under an id that is not told, streams to nobody here."""
    question = asked(QUESTION, questionBlockId="block", status="running", total=3, audienceIds=[])
    stored = output(QUESTION, {"Owners": [answer("Mia", "9")], "Guests": []})
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [question]}})
    api.answers[f"{READ}/messages/block/answers"] = Reply({"outputData": stored})
    one = asking(asks=False)
    seen: list[tuple[int, int]] = []

    async def look(_seconds: float) -> None:
        seen.append((one.done, one.total))
        if len(seen) > 2:
            one.fail(ServiceUnavailable())

    async with studies(api) as endpoints:
        await read(one, endpoints, look)

    assert seen == [(0, 3), (1, 3), (1, 3)]
    assert [reply.value for reply in one.question().replies if reply.status == "answered"] == ["9"]


@pytest.mark.parametrize("messages", [[], [asked("Another question?")]])
async def test_a_question_that_never_arrived_is_given_up(api: SpokenApi, messages: list[Any]) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3})
    api.answers[READ] = Reply({"data": {**PANEL, "messages": messages}})
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert isinstance(one.failure, ServiceUnavailable)


async def test_what_never_ends_is_given_up(api: SpokenApi) -> None:
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked(QUESTION)]}})
    one = asking(asks=False)

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.failure is not None
    assert len(api.asked) <= MOST_LOOKS + 1
    assert ASK not in api.bodies


async def test_an_api_that_cannot_be_reached_is_a_failure_at_once(api: SpokenApi) -> None:
    api.answers[ASK] = httpx2.ConnectError("down")
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert isinstance(one.failure, ServiceUnavailable)
    assert READ not in {f"{request.method} {request.url.path.removeprefix('/api/v1')}" for request in api.asked}


def of(*messages: dict[str, Any]) -> Reply:
    return Reply({"data": {**PANEL, "messages": list(messages)}})


@pytest.mark.parametrize(
    "opening", [stream(), stream({"type": "ping"}), httpx2.ReadTimeout("slow")], ids=["nothing", "a ping", "no head"]
)
async def test_a_question_that_may_have_got_through_is_looked_for(api: SpokenApi, opening: Any) -> None:
    api.answers[ASK] = opening
    api.answers[READ] = of(asked(QUESTION), told(QUESTION, RESULT))
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.question().status == "completed"
    assert len(api.bodies[ASK]) == 1


async def test_clocks_that_differ_do_not_make_a_question_fail(api: SpokenApi) -> None:
    yesterday = asked(QUESTION, at="2026-11-19T09:00:00.000Z")
    api.answers[ASK] = stream({"type": "start", "total": 3})
    api.answers[READ] = [of(yesterday), of(yesterday, told(QUESTION, RESULT))]
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.question().status == "completed"


@pytest.mark.parametrize("status", [429, 500])
async def test_a_look_that_is_refused_says_nothing_of_the_question(api: SpokenApi, status: int) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3})
    api.answers[READ] = [*[Reply({}, status)] * 4, of(asked(QUESTION), told(QUESTION, RESULT))]
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert one.question().status == "completed"


async def test_what_landed_before_a_break_stays_where_the_transcript_is_shortened(api: SpokenApi) -> None:
    api.answers[ASK] = stream({"type": "start", "total": 3}, landed("Mia", "Owners", "9"))
    shortened = output(QUESTION, {"Owners": [answer("Ben", "8")], "Guests": []})
    api.answers[READ] = of(asked(QUESTION), told(QUESTION, shortened))
    api.answers[f"{READ}/messages/{told(QUESTION, shortened)['id']}/answers"] = Reply({}, 404)
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

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
async def test_only_a_question_that_got_through_can_be_given_up(api: SpokenApi, answer: Reply, gave_up: bool) -> None:
    api.answers[ASK] = answer
    one = asking()

    async with studies(api) as endpoints:
        await read(one, endpoints, no_pause)

    assert isinstance(one.failure, ServiceUnavailable | RateLimitExceeded)
    assert one.gave_up is gave_up

"""How a 2025-era call is answered: plain or as a stream, and what a client that goes away changes, in both eras."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from starlette.types import Message

from mcp_server.protocol import exchange
from mcp_server.protocol.exchange import RequestDispatch
from tests.edge import ERAS, LEGACY, MODERN, PATIENCE, Edge, messages, request, running, settings_for, within
from tests.socket_client import Wire


async def begin(server: Wire, word: str, era: str, identity: int = 1) -> asyncio.StreamWriter:
    """A call that waits for `word`, when it has begun."""
    headers, body = request("tools/call", {"name": "wait", "arguments": {"word": word}}, era=era, identity=identity)
    lines = [f"{name}: {value}" for name, value in headers.items() if name != "content-type"]
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(server.post(*lines, body=orjson.dumps(body)))
    await within(server.stage.started[word].wait())
    return writer


async def test_a_client_of_the_older_era_that_goes_away_has_not_cancelled(server: Wire) -> None:
    writer = await begin(server, "legacy", LEGACY)

    writer.transport.abort()
    await until_gone(server)
    server.stage.released["legacy"].set()

    assert await within(server.stage.ended["legacy"]) == "finished"


async def until_gone(server: Wire) -> None:
    """Until the server has seen the end of every connection but our own: it answers after that."""
    for _ in range(3):
        await server.exchange(server.post())


@pytest.mark.security("JR-20")
async def test_a_client_of_the_newer_era_that_goes_away_has_cancelled(server: Wire) -> None:
    writer = await begin(server, "modern", MODERN)

    writer.transport.abort()

    assert await within(server.stage.ended["modern"]) == "cancelled"


@pytest.mark.security("JR-20")
async def test_a_hundred_cancelled_calls_leave_nothing_running(server: Wire) -> None:
    idle = len(asyncio.all_tasks())
    words = [f"many-{number}" for number in range(100)]  # all that one place may have open

    writers = [await begin(server, word, MODERN) for word in words]
    for writer in writers:
        writer.transport.abort()
    ends = [await within(server.stage.ended[word]) for word in words]

    assert set(ends) == {"cancelled"}
    async with asyncio.timeout(PATIENCE):
        while len(asyncio.all_tasks()) > idle:  # noqa: ASYNC110  the end of a task that was cancelled has no event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("era", ERAS)
async def test_nobody_can_cancel_the_call_of_another_by_its_id(server: Wire, era: str) -> None:
    word = f"others-{era}"
    writer = await begin(server, word, era, identity=77)
    headers, body = request("notifications/cancelled", {"requestId": 77, "reason": "mine"}, era=era, identity=None)
    lines = [f"{name}: {value}" for name, value in headers.items() if name != "content-type"]

    answer = await server.exchange(server.post(*lines, body=orjson.dumps(body)))
    server.stage.released[word].set()

    assert answer.startswith(b"HTTP/1.1 202")
    assert await within(server.stage.ended[word]) == "finished"
    writer.close()


async def calling(edge: Edge, word: str, **more: Any) -> asyncio.Task[httpx2.Response]:
    call = asyncio.create_task(edge.call("wait", {"word": word}, **more))
    await within(edge.stage.started[word].wait())
    return call


async def cancel(edge: Edge, identity: Any, **more: Any) -> None:
    response = await edge.rpc("notifications/cancelled", {"requestId": identity}, identity=None, **more)
    assert response.status_code == 202


@pytest.mark.parametrize("token", [None, "t"])
async def test_a_client_of_the_older_era_cancels_its_call_by_a_notification(edge: Edge, token: str | None) -> None:
    word = f"own-{token}"
    call = await calling(edge, word, identity=5, key=edge.key, token=token)

    await cancel(edge, 5, key=edge.key)

    assert await within(edge.stage.ended[word]) == "cancelled"
    assert messages(await within(call))[-1]["error"] == {"code": -32800, "message": "Request cancelled"}
    assert (await edge.call("say", key=edge.key)).status_code == 200


async def test_a_notification_cancels_nothing_that_may_be_of_another_client(edge: Edge) -> None:
    agents = [{"headers": {"user-agent": name}} for name in ("one", "one", "other")]
    calls = [
        await calling(edge, f"alike-{number}", identity=6, key=edge.key, **agent) for number, agent in enumerate(agents)
    ]

    for key, identity, number in [(None, 6, 2), (edge.narrow_key, 6, 2), (edge.key, 7, 2), (edge.key, 6, 0)]:
        await cancel(edge, identity, key=key, **agents[number])
    for number in range(3):
        edge.stage.released[f"alike-{number}"].set()

    assert [(await within(call)).status_code for call in calls] == [200, 200, 200]
    assert [await edge.stage.ended[f"alike-{number}"] for number in range(3)] == ["finished"] * 3


async def test_what_runs_when_serving_ends_is_cancelled(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        call = asyncio.create_task(edge.call("wait", {"word": "last"}))
        await within(edge.stage.started["last"].wait())

    assert await within(edge.stage.ended["last"]) == "cancelled"
    await asyncio.wait([call])


@pytest.mark.parametrize("token", [None, "t"])
async def test_a_long_silence_becomes_a_stream_that_is_kept_alive(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.setattr(exchange, "KEEP_ALIVE_SECONDS", 0.01)
    call = asyncio.create_task(edge.call("wait", {"word": f"silent-{token}"}, token=token))
    await within(edge.stage.started[f"silent-{token}"].wait())
    await asyncio.wait([call], timeout=0.15)

    edge.stage.released[f"silent-{token}"].set()
    response = await within(call)

    assert response.headers["content-type"] == "text/event-stream"
    assert ": keep-alive\n\n" in response.text
    assert messages(response)[-1]["result"]["structuredContent"] == {"text": f"silent-{token}"}


async def test_a_refusal_after_progress_is_in_the_stream_whose_status_is_sent(edge: Edge) -> None:
    response = await edge.call("stumble", token="t")

    assert response.status_code == 200
    assert [next(iter({"params", "error"} & set(message))) for message in messages(response)] == ["params", "error"]


@pytest.mark.slow
@pytest.mark.security("JR-28")
@pytest.mark.parametrize("era", ERAS)
async def test_forty_calls_at_once_are_answered(edge: Edge, era: str) -> None:
    answers = await asyncio.gather(*(edge.call("count", era=era, token=number) for number in range(40)))

    assert {answer.status_code for answer in answers} == {200}
    assert [messages(answer)[0]["params"]["progressToken"] for answer in answers] == list(range(40))


@pytest.mark.security("JR-21")
async def test_reports_wait_for_their_reader_and_do_not_pile_up() -> None:
    sent, read = list[Message](), asyncio.Event()

    async def send(message: Message) -> None:
        sent.append(message)
        await read.wait()

    context = RequestDispatch(
        transport=TransportContext(kind="streamable-http", can_send_request=False, headers={}),
        request_id=1,
        message_metadata=ServerMessageMetadata(),
        progress_token="t",
        exchange=exchange.Exchange({}, send),
    )
    reports = [asyncio.create_task(context.progress(step, 100, "step")) for step in range(100)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(sent) == 1

    read.set()
    await within(asyncio.gather(*reports))
    assert len(sent) == 1 + len(reports)


@pytest.mark.security("JR-21")
async def test_a_flood_of_reports_ends_with_the_answer(edge: Edge) -> None:
    response = await edge.call("count", {"to": 10_000}, token="t")

    assert messages(response)[-1]["result"]["structuredContent"] == {"text": "counted to 10000"}


@pytest.mark.security("JR-22")
@given(text=st.text())
def test_a_message_is_one_event_whatever_stands_in_it(text: str) -> None:
    frame = exchange.stream_event({"text": "\n\nevent: evil\r\ndata: {}\r\r" + text})

    lines = frame.removesuffix(b"\n\n").splitlines()
    assert lines[0] == b"event: message"
    assert len(lines) == 2
    assert lines[1].startswith(b"data: ")

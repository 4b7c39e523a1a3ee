"""An answer as server-sent events."""

import asyncio
from typing import Any

import orjson
import pytest

from app.internal_api.engines.engine import EngineUnavailable
from tests.app.internal_api.support import KEYWORDS, LINKED, Gate, World, within

QUESTION = {"messages": [{"role": "user", "content": "How is green tea steeped?"}]}


def _events(body: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each event; comments are left out."""
    found = []
    for block in body.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], orjson.loads(fields["data"])))
    return found


async def test_a_stream_starts_brings_one_result_and_is_done(world: World) -> None:
    mind_id = await world.trained(LINKED)
    client = world.client()
    plain = (await client.post(f"/minds/{mind_id}/completion", json=QUESTION)).json()

    streamed = await client.post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})

    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert len(streamed.text.split("\n\n")[0]) >= 2048
    names, data = zip(*_events(streamed.text), strict=True)
    assert names == ("start", "result", "done")
    assert data[0] == {"type": "start", "timestamp": "2023-11-14T22:13:20.000Z"}
    assert {**data[1], "messageId": None} == {**plain, "messageId": None}


async def test_a_stream_sends_heartbeats_while_the_answer_is_thought_out(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)
    world.settings = world.settings.model_copy(update={"stream_heartbeat_seconds": 0.02})
    gate = world.persona_engine.gates["answer"] = Gate()
    client = world.client()

    asked = asyncio.create_task(
        client.post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})
    )
    await within(gate.reached.wait())
    beats = 0
    while beats < 5:
        await asyncio.sleep(0.02)
        beats += 1
    gate.open.set()
    streamed = await within(asked)

    assert streamed.text.count(": heartbeat\n\n") >= 1
    assert [name for name, _ in _events(streamed.text)] == ["start", "result", "done"]


@pytest.mark.parametrize(
    ("fault", "status"), [(EngineUnavailable("secret", retryable=True), 503), (RuntimeError("secret"), 500)]
)
async def test_a_stream_tells_of_a_failure_inside_it(world: World, fault: Exception, status: int) -> None:
    mind_id = await world.trained()
    world.persona_engine.broken = fault

    streamed = await world.client().post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})

    assert streamed.status_code == 200
    events = _events(streamed.text)
    assert [name for name, _ in events] == ["start", "error", "done"]
    assert (events[1][1]["type"], events[1][1]["status"]) == ("error", status)
    assert "secret" not in streamed.text

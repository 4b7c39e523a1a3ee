"""A question as it is followed, its answers, and the figures of a study."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy import delete, event
from sqlalchemy.exc import OperationalError

from app.internal_api.store.studies import studies
from tests.app.internal_api.panels.panels import (
    SCALE,
    MadePanel,
    events,
    events_of,
    held_up,
    listening,
    make_panel,
    only_question,
    queue,
    stored,
    surveyed,
    told,
    until,
)
from tests.app.internal_api.panels.rows import answers, both_groups, pending, question
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, store_study
from tests.app.internal_api.support import Gate, World, within

ASKED = question("scale")
PATH = f"/studies/{STUDY.id}/messages"


@pytest.mark.both_databases
async def test_every_answer_is_there_by_each_id_of_the_question(world: World) -> None:
    await store_study(world.engine, [(ASKED, answers("5", "4", "3", "2", None))])

    found = [
        await world.client().get(f"{PATH}/{message_id}/answers")
        for message_id in (ASKED.answer_message_id, ASKED.question_message_id, ASKED.id)
    ]

    assert [answer.status_code for answer in found] == [200, 200, 200]
    assert [answer.json()["messageId"] for answer in found] == [ASKED.answer_message_id] * 3
    (group,) = found[0].json()["outputData"]["audiences"]
    assert [answer["value"] for answer in group["answers"]] == ["5", "4", "3", "2", ""]
    assert (group["value"], group["n"], group["failed"]) == ("3.5", 4, 1)


async def test_a_preview_shows_three_of_each_group_and_the_figures_of_all(world: World) -> None:
    await store_study(world.engine, [(ASKED, both_groups(["5"] * 5, ["1"]))])

    found = await world.client().get(f"{PATH}/{ASKED.id}/answers", params={"scope": "preview"})

    groups = found.json()["outputData"]["audiences"]
    assert [(len(group["answers"]), group["n"]) for group in groups] == [(3, 5), (1, 1)]


async def test_while_a_question_runs_there_is_what_has_landed(world: World) -> None:
    await store_study(world.engine, [(question("scale", status="running"), [*answers("5"), pending(1)])])

    found = await world.client().get(f"{PATH}/{ASKED.id}/answers")

    assert len(found.json()["outputData"]["audiences"][0]["answers"]) == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PATH}/{ASKED.id}/answers?scope=all", 400),
        (f"{PATH}/no-id/answers", 400),
        (f"/studies/no-id/messages/{ASKED.id}/answers", 400),
        (f"{PATH}/{STUDY.id}/answers", 404),
        (f"/studies/{ASKED.id}/messages/{ASKED.id}/answers", 404),
        (f"/studies/{BOBS_STUDY.id}/messages/{ASKED.id}/answers", 404),
    ],
)
async def test_what_is_not_there_or_not_known_is_refused(world: World, path: str, status: int) -> None:
    await store_study(world.engine, [(ASKED, answers("5"))])
    await store_study(world.engine, study=BOBS_STUDY)

    assert (await world.client().get(path)).status_code == status


async def test_somebody_elses_answers_are_not_there(world: World) -> None:
    await store_study(world.engine, [(ASKED, answers("5"))])

    found = [await world.client(who).get(f"{PATH}/{ASKED.id}/answers") for who in ("bob", "demo", None)]

    assert [answer.status_code for answer in found] == [404, 404, 401]


REQUEST = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"


@asynccontextmanager
async def asking(base: str, panel: MadePanel) -> AsyncIterator[httpx2.Response]:
    """A stream over a real socket; at the end the client goes away."""
    async with (
        httpx2.AsyncClient(base_url=base, headers={"Authorization": "Bearer ada"}, timeout=30) as client,
        client.stream("POST", panel.path, json={"question": SCALE}) as response,
    ):
        yield response


async def test_a_stream_is_padded_its_frames_have_no_names_and_who_followed_it_is_forgotten(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    api = world.api()

    async with api.lifespan():
        streamed = await world.client(api=api).post(panel.path, json={"question": SCALE})

    padding, *blocks = streamed.text.removesuffix("\n\n").split("\n\n")
    assert padding.startswith(":")
    assert len(padding) >= 2048
    assert [block[:6] for block in blocks] == ["data: "] * len(blocks)
    assert streamed.headers["x-accel-buffering"] == "no"
    assert not api.services.hub.subscribers


async def test_an_answer_says_who_where_what_and_how_many(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    question_id = await queue(world, panel, clientRequestId=REQUEST)
    await world.ask_all()

    streamed = await world.client().post(panel.path, json={"question": SCALE, "clientRequestId": REQUEST})

    first, second = told(streamed.text, "answer")
    answer = first.pop("answer")
    assert first == {
        "type": "answer",
        "mindId": panel.minds["Ada"],
        "mindName": "Ada",
        "discipline": "Tea",
        "profileImageUrl": None,
        "audienceId": panel.audiences["Old"],
        "audienceName": "Old",
        "status": "answered",
        "answered": 1,
        "total": 2,
    }
    assert (answer["value"], answer["rawValue"], answer["message"]) == ("5", "5", "I am Ada, and I say 5.")
    assert (answer["persona"], answer["sentiment"], answer["engine"]) == ("Ada", None, "fake")
    assert (second["mindName"], second["answered"]) == ("Ben", 2)
    assert told(streamed.text, "start")[0]["clientRequestId"] == REQUEST
    assert told(streamed.text, "start")[0]["questionBlockId"] == question_id


async def test_each_answer_is_stored_before_it_is_sent_and_sent_before_the_next_has_landed(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    gate = held_up(world, "Ben")
    api = world.api()
    async with api.lifespan(), listening(api) as base, asking(base, panel) as response:
        stream = events_of(response)
        before = [seen["type"] for seen in await within(until(stream, "answer"))]
        ada, ben = (await stored(world.engine, await only_question(world.engine)))[1]
        gate.open.set()
        after = [seen["type"] for seen in await within(until(stream, "done"))]

    assert before == ["start", "classification", "answer"]
    assert (ada.status, ben.status) == ("answered", "pending")
    assert after == ["answer", "aggregating", "result", "done"]


async def test_a_client_that_goes_away_stops_only_its_stream(world: World) -> None:
    names = [f"Mind {number}" for number in range(15)]
    panel = await make_panel(world.engine, {"Old": names})
    gate = held_up(world, names[-1])
    api = world.api()
    async with api.lifespan(), listening(api) as base:
        async with asking(base, panel) as response:
            seen = await within(until(events_of(response), "answer"))
        await within(gate.reached.wait())
        gate.open.set()
        question_id = await only_question(world.engine)
        for _ in range(3_000):
            if (await stored(world.engine, question_id))[0].status == "completed":
                break
            await asyncio.sleep(0.02)

    question, answers = await stored(world.engine, question_id)
    assert len(seen) == 3
    assert question.status == "completed"
    assert {answer.status for answer in answers} == {"answered"}
    assert sorted(surveyed(world)) == sorted(names)


async def test_a_question_that_another_process_works_on_is_followed_by_looking(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    serving, working = world.api(poll_seconds=0.02, run_worker=False), world.api(poll_seconds=0.02)

    async with serving.lifespan(), working.lifespan():
        streamed = await within(world.client(api=serving).post(panel.path, json={"question": SCALE}))

    assert [seen["type"] for seen in events(streamed.text)][-3:] == ["aggregating", "result", "done"]
    assert len(told(streamed.text, "answer")) == 2


async def test_a_silence_is_filled_with_heartbeats(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    gate = world.persona_engine.gates["survey"] = Gate()
    api = world.api(stream_heartbeat_seconds=0.02)

    async with api.lifespan(), listening(api) as base, asking(base, panel) as response:
        lines = response.aiter_lines()
        beats = 0
        while beats < 3:
            beats += await within(anext(lines)) == ": heartbeat"
        gate.open.set()
        rest = [line async for line in lines]

    assert rest[-2] == 'data: {"type":"done"}'


async def test_a_study_that_is_deleted_while_it_is_followed_is_told_as_gone(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    gate = world.persona_engine.gates["survey"] = Gate()
    api = world.api(poll_seconds=0.05, panel_drain_seconds=0.1)

    async with api.lifespan():
        asked = asyncio.create_task(world.client(api=api).post(panel.path, json={"question": SCALE}))
        await within(gate.reached.wait())
        async with world.engine.begin() as connection:
            await connection.execute(delete(studies))
        streamed = await within(asked)

    kinds = [seen["type"] for seen in events(streamed.text)]
    assert kinds == ["start", "classification", "error", "done"]
    assert told(streamed.text, "error")[0]["status"] == 404


async def test_a_database_that_does_not_answer_is_told_and_the_question_goes_on(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    await queue(world, panel, clientRequestId=REQUEST)
    body = {"question": SCALE, "clientRequestId": REQUEST}

    def refuse(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "answers.status" in statement:
            raise OperationalError(statement, {}, Exception("secret"))

    event.listen(world.engine.sync_engine, "before_cursor_execute", refuse)
    streamed = await within(world.client().post(panel.path, json=body))
    event.remove(world.engine.sync_engine, "before_cursor_execute", refuse)
    await world.ask_all()
    again = await world.client().post(panel.path, json=body)

    assert [seen["type"] for seen in events(streamed.text)] == ["start", "classification", "error", "done"]
    assert told(streamed.text, "error")[0]["status"] == 503
    assert "secret" not in streamed.text
    assert told(again.text, "result")

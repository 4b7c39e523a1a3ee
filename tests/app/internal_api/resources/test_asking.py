"""StudyRequest a study: who is asked, what is refused, and that the same request is never asked twice."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import delete, insert, select

from app.internal_api.store.questions import questions
from app.internal_api.store.studies import audience_members
from tests.app.internal_api.panels.panels import (
    SCALE,
    ask,
    events,
    make_panel,
    only_question,
    queue,
    stored,
    surveyed,
    told,
)
from tests.app.internal_api.support import BOB, Gate, World, within

GROUPS = {"Old": ["Ada", "Ben"], "Young": ["Cem"]}


async def test_everybody_in_every_group_is_asked_and_told(world: World) -> None:
    panel = await make_panel(world.engine, GROUPS)

    streamed = await ask(world, panel)

    assert (streamed.status_code, streamed.headers["cache-control"]) == (200, "no-store")
    assert streamed.headers["content-type"].startswith("text/event-stream")
    kinds = [event["type"] for event in events(streamed.text)]
    assert kinds == ["start", "classification", "answer", "answer", "answer", "aggregating", "result", "done"]
    (start,), (understood,) = told(streamed.text, "start"), told(streamed.text, "classification")
    question_id = await only_question(world.engine)
    assert start == {"type": "start", "total": 3, "questionBlockId": question_id, "clientRequestId": None}
    assert understood["classification"] == {"type": "scale", "scaleRange": [1, 5]}
    (result,) = told(streamed.text, "result")
    assert result["outputType"] == "bar"
    assert [(group["audience"], group["value"]) for group in result["outputData"]["audiences"]] == [
        ("Old", "5"),
        ("Young", "5"),
    ]


async def test_a_subset_of_the_groups_is_asked_in_the_order_of_the_study(world: World) -> None:
    panel = await make_panel(world.engine, {**GROUPS, "Middle": ["Dan"]})
    wanted = [panel.audiences["Middle"], panel.audiences["Old"], panel.audiences["Old"]]

    await ask(world, panel, audienceIds=wanted)

    _, answers = await stored(world.engine, await only_question(world.engine))
    assert [(answer.audience_name, answer.mind_name) for answer in answers] == [
        ("Old", "Ada"),
        ("Old", "Ben"),
        ("Middle", "Dan"),
    ]


@pytest.mark.both_databases
async def test_a_mind_in_two_groups_is_asked_once_and_counts_in_both(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"], "All": ["Ben", "Ada"]})

    streamed = await ask(world, panel)

    assert sorted(surveyed(world)) == ["Ada", "Ben"]
    landed = {(event["audienceName"], event["mindName"]): event["answer"] for event in told(streamed.text, "answer")}
    assert len(landed) == 4
    assert landed["Old", "Ada"] == landed["All", "Ada"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": "a" * 10_001}, "10000"),
        ({"question": "What?\0"}, "control"),
        ({"question": SCALE, "audienceIds": []}, "audienceIds"),
        ({"question": SCALE, "audienceIds": ["Old"]}, "UUID"),
        ({"question": SCALE, "model": "m"}, "provider"),
        ({"question": SCALE, "provider": "openai"}, "model"),
        ({"question": SCALE, "responseMode": "sync"}, "responseMode"),
        ({"question": SCALE, "responseForm": "long"}, "responseForm"),
        ({"question": SCALE, "historyMode": "all"}, "historyMode"),
        ({"question": SCALE, "sourcePolicy": "request_only"}, "sourcePolicy"),
        ({"question": SCALE, "clientRequestId": "1"}, "UUID"),
        ({"question": SCALE, "groupIds": [str(uuid4())]}, "audienceIds"),
    ],
)
async def test_what_cannot_be_asked_is_refused_with_a_reason(world: World, body: dict[str, Any], says: str) -> None:
    panel = await make_panel(world.engine, GROUPS)

    refused = await world.client().post(panel.path, json=body)

    assert refused.status_code == 400
    assert says in refused.json()["message"]
    await _nothing_is_stored(world)


@pytest.mark.parametrize(
    ("classification", "code"),
    [
        ("scale", "INVALID_CLASSIFICATION"),
        ({"type": "ranking"}, "INVALID_CLASSIFICATION"),
        ({"type": "scale", "scaleRange": "1-5"}, "INVALID_CLASSIFICATION"),
        ({"type": "qualitative", "options": ["a", "b"]}, "INVALID_CLASSIFICATION"),
        ({"type": "scale", "scaleRange": [5, 5]}, "INVALID_SCALE"),
        ({"type": "scale", "scaleRange": [1]}, "INVALID_SCALE"),
        ({"type": "scale", "scaleRange": [1, 1e308]}, "INVALID_SCALE"),
        ({"type": "categorical", "options": ["only"]}, "INVALID_OPTIONS"),
    ],
)
async def test_a_classification_that_makes_no_sense_is_refused_by_its_code(
    world: World, classification: Any, code: str
) -> None:
    panel = await make_panel(world.engine, GROUPS)

    refused = await world.client().post(panel.path, json={"question": "Tea?", "classification": classification})

    assert (refused.status_code, refused.json()["data"]["code"]) == (400, code)
    await _nothing_is_stored(world)


SEVERAL = {"type": "multiselect", "options": ["Green", "Black", "White"]}


@pytest.mark.parametrize(
    ("body", "understood", "most"),
    [
        ({"classification": {**SEVERAL, "most": 2}}, SEVERAL, 2),
        ({"disableQuestionClassifier": True}, {"type": "qualitative"}, None),
    ],
)
async def test_what_is_said_of_a_question_overrides_its_wording(
    world: World, body: dict[str, Any], understood: dict[str, Any], most: int | None
) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})

    streamed = await ask(world, panel, **body)

    assert told(streamed.text, "classification")[0]["classification"].items() >= understood.items()
    assert (await stored(world.engine, await only_question(world.engine)))[0].most == most


async def test_a_study_without_groups_or_members_has_nobody_to_ask(world: World) -> None:
    empty, unattached = await make_panel(world.engine, {"Old": ["Ada"]}), await make_panel(world.engine, {})
    async with world.engine.begin() as connection:
        await connection.execute(delete(audience_members))

    refused = [await world.client().post(panel.path, json={"question": SCALE}) for panel in (empty, unattached)]

    assert [answer.status_code for answer in refused] == [400, 400]
    assert [answer.json()["data"]["code"] for answer in refused] == ["NO_MINDS", "NO_AUDIENCES"]


async def test_what_is_not_attached_is_missing_whoever_owns_it(world: World) -> None:
    panel, other = await make_panel(world.engine, GROUPS), await make_panel(world.engine, {"Else": ["Eva"]})
    foreign = await make_panel(world.engine, {"Bobs": ["Bo"]}, owner=BOB)

    groups = [str(uuid4()), other.audiences["Else"], foreign.audiences["Bobs"]]
    refused = [await world.client().post(panel.path, json={"question": SCALE, "audienceIds": [one]}) for one in groups]
    studies_of_others = [
        await world.client().post(path, json={"question": SCALE}) for path in (foreign.path, f"/studies/{uuid4()}/ask")
    ]

    assert [answer.status_code for answer in [*refused, *studies_of_others]] == [404] * 5
    assert len({answer.json()["message"] for answer in refused}) == 1
    assert len({answer.json()["message"] for answer in studies_of_others}) == 1
    await _nothing_is_stored(world)


@pytest.mark.both_databases
async def test_a_panel_of_which_nobody_is_ready_says_who_and_how_far(world: World) -> None:
    panel = await make_panel(world.engine, GROUPS, untrained=["Ada", "Ben", "Cem"])

    refused = await world.client().post(panel.path, json={"question": SCALE})

    assert (refused.status_code, refused.json()["data"]["code"]) == (409, "PANEL_MINDS_NOT_READY")
    who = refused.json()["data"]["notReady"]
    assert [(each["name"], each["mindId"], each["audienceId"], each["trainingStatus"]) for each in who] == [
        ("Ada", panel.minds["Ada"], panel.audiences["Old"], "running"),
        ("Ben", panel.minds["Ben"], panel.audiences["Old"], "running"),
        ("Cem", panel.minds["Cem"], panel.audiences["Young"], "running"),
    ]
    await _nothing_is_stored(world)


async def test_those_who_are_ready_are_asked_and_the_others_are_counted_as_failed(world: World) -> None:
    panel = await make_panel(world.engine, GROUPS, untrained=["Ben"])

    streamed = await ask(world, panel)

    landed = {event["mindName"]: event for event in told(streamed.text, "answer")}
    assert sorted(surveyed(world)) == ["Ada", "Cem"]
    assert (landed["Ben"]["status"], landed["Ben"]["answer"]["errorCode"]) == ("failed", "NOT_READY")
    old = told(streamed.text, "result")[0]["outputData"]["audiences"][0]
    assert (old["n"], old["failed"]) == (1, 1)


async def test_membership_is_that_of_the_moment_of_asking(world: World) -> None:
    panel = await make_panel(world.engine, GROUPS)
    question_id = await queue(world, panel)
    late = await make_panel(world.engine, {"Late": ["Lea"]})
    async with world.engine.begin() as connection:
        await connection.execute(delete(audience_members).where(audience_members.c.mind_id == panel.minds["Ben"]))
        member = {"audience_id": panel.audiences["Old"], "mind_id": late.minds["Lea"], "position": 9}
        await connection.execute(insert(audience_members).values(member))

    await world.ask_all()

    _, answers = await stored(world.engine, question_id)
    assert [(answer.mind_name, answer.status) for answer in answers] == [
        ("Ada", "answered"),
        ("Ben", "answered"),
        ("Cem", "answered"),
    ]


async def test_a_queued_question_is_answered_by_a_receipt_and_worked_on_alone(world: World) -> None:
    panel, request_id = await make_panel(world.engine, GROUPS), str(uuid4())

    receipt = await ask(world, panel, responseMode="queued", clientRequestId=request_id)

    question_id = await only_question(world.engine)
    assert receipt.json() == {
        "status": "queued",
        "jobId": question_id,
        "count": 3,
        "questionBlockId": question_id,
        "questionAudienceId": question_id,
        "clientRequestId": request_id,
        "queuedMessage": True,
    }
    await world.ask_all()
    assert (await stored(world.engine, question_id))[0].status == "completed"


# --- the same request ---


async def test_a_finished_request_is_answered_from_its_rows(world: World) -> None:
    panel, request_id = await make_panel(world.engine, GROUPS), str(uuid4())

    first = await ask(world, panel, clientRequestId=request_id)
    again = await ask(world, panel, clientRequestId=request_id.upper())
    receipt = await ask(world, panel, clientRequestId=request_id, responseMode="queued")

    assert len(surveyed(world)) == 3
    assert _sorted(events(again.text)) == _sorted(events(first.text))
    assert receipt.json()["questionBlockId"] == told(first.text, "start")[0]["questionBlockId"]


async def test_an_unfinished_request_is_followed_by_who_asks_again(world: World) -> None:
    panel, request_id = await make_panel(world.engine, GROUPS), str(uuid4())
    gate = world.persona_engine.gates["survey"] = Gate()
    api = world.api()
    body = {"question": SCALE, "clientRequestId": request_id}

    async with api.lifespan():
        first, again = (asyncio.create_task(world.client(api=api).post(panel.path, json=body)) for _ in range(2))
        await within(gate.reached.wait())
        gate.open.set()
        streamed = await within(asyncio.gather(first, again))

    assert len(surveyed(world)) == 3
    assert [len(told(answer.text, "answer")) for answer in streamed] == [3, 3]
    assert told(streamed[0].text, "result") == told(streamed[1].text, "result")


@pytest.mark.both_databases
async def test_requests_at_the_same_moment_are_one_question(world: World) -> None:
    panel, request_id = await make_panel(world.engine, GROUPS), str(uuid4())
    body = {"question": SCALE, "clientRequestId": request_id, "responseMode": "queued"}

    receipts = await asyncio.gather(*(world.client().post(panel.path, json=body) for _ in range(6)))

    assert [receipt.status_code for receipt in receipts] == [200] * 6
    assert {receipt.json()["questionBlockId"] for receipt in receipts} == {await only_question(world.engine)}


@pytest.mark.parametrize(
    "other",
    [
        {"question": "Another?"},
        {"responseForm": "expanded"},
        {"historyMode": "last5"},
        {"sourcePolicy": "auto"},
        {"classification": {"type": "qualitative"}},
        {"classification": {"type": "scale", "scaleRange": [1, 7]}},
        {"disableQuestionClassifier": True},
        {"audienceIds": ["Young"]},
        {"audienceIds": ["Old", "Young"]},
    ],
)
async def test_the_same_request_id_with_another_wish_is_a_conflict(world: World, other: dict[str, Any]) -> None:
    panel, request_id = await make_panel(world.engine, GROUPS), str(uuid4())
    await queue(world, panel, clientRequestId=request_id, audienceIds=[panel.audiences["Old"]])

    groups = {"audienceIds": [panel.audiences[name] for name in other.get("audienceIds", ["Old"])]}
    body = {"question": SCALE, "clientRequestId": request_id, **other, **groups}
    refused = await world.client().post(panel.path, json=body)

    assert (refused.status_code, refused.json()["data"]["code"]) == (409, "IDEMPOTENCY_CONFLICT")


async def test_a_request_is_taken_up_again_word_for_word_or_by_its_text_alone(world: World) -> None:
    panel, request_id = await make_panel(world.engine, {**GROUPS, "Nobody": []}), str(uuid4())
    body: dict[str, Any] = {
        "clientRequestId": request_id,
        "audienceIds": [panel.audiences["Old"], panel.audiences["Nobody"]],
        "classification": {"type": "scale", "scaleRange": [1, 7]},
        "responseForm": "concise",
        "historyMode": "last5",
        "sourcePolicy": "knowledge_only",
    }
    question_id = await queue(world, panel, **body)

    again = [await queue(world, panel, **body), await queue(world, panel, clientRequestId=request_id)]

    assert again == [question_id, question_id]


async def test_without_a_request_id_or_in_another_study_the_same_question_is_a_fresh_measurement(world: World) -> None:
    one, other = [await make_panel(world.engine, GROUPS) for _ in range(2)]
    request_id = str(uuid4())

    asked = [await queue(world, panel, clientRequestId=request_id) for panel in (one, other)]
    asked += [await queue(world, one) for _ in range(2)]

    assert len(set(asked)) == 4


async def test_a_question_while_another_runs_is_answered_too(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    gate = world.persona_engine.gates["survey"] = Gate()
    api = world.api()

    async with api.lifespan():
        first = asyncio.create_task(world.client(api=api).post(panel.path, json={"question": SCALE}))
        await within(gate.reached.wait())
        del world.persona_engine.gates["survey"]
        second = await within(world.client(api=api).post(panel.path, json={"question": "Tea or coffee?"}))
        gate.open.set()
        answers = [(await within(first)).text, second.text]

    assert [told(text, "done") for text in answers] == [[{"type": "done"}]] * 2
    assert [told(text, "result")[0]["outputData"]["type"] for text in answers] == ["scale", "categorical"]


async def _nothing_is_stored(world: World) -> None:
    async with world.engine.connect() as connection:
        assert (await connection.execute(select(questions.c.id))).all() == []


def _sorted(told_events: list[dict[str, Any]]) -> list[str]:
    """The order in which answers landed, and their numbers with it, may differ between two moments."""
    return sorted(str({**event, "answered": None}) for event in told_events)

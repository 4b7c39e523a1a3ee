"""Studies: the documented answers, all or nothing at creation, what was asked in them, and other people's objects."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest
from dirty_equals import IsUUID
from sqlalchemy import func, insert, select

from app.internal_api.store.questions import Answer, Question, answers, questions
from app.internal_api.store.rows import update_row
from app.internal_api.store.studies import Study
from tests.app.internal_api.groups import UNKNOWN, audience, demo_mind, minds, study
from tests.app.internal_api.panels.rows import QUESTION, another, answer
from tests.app.internal_api.support import World

NOW = "2023-11-14T22:13:20.000Z"


async def _ask(world: World, study_id: str, question: Question, given: Sequence[Answer] = ()) -> None:
    """Store a question of a study with its answers."""
    async with world.engine.begin() as connection:
        row = {**asdict(question), "study_id": study_id}
        await connection.execute(insert(questions).values({key: row[key] for key in row if key != "seq"}))
        for one in given:
            row = {**asdict(one), "question_id": question.id}
            await connection.execute(insert(answers).values({key: row[key] for key in row if key != "seq"}))


async def _totals(world: World) -> tuple[int, int]:
    """How many audiences and studies Ada has."""
    client = world.client()
    found = [(await client.get(f"/{each}")).json()["pagination"]["total"] for each in ("audiences", "studies")]
    return found[0], found[1]


async def test_a_new_study_has_the_audiences_it_names_and_then_those_it_describes(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")
    there, empty = await audience(world, "There", noa), await audience(world, "Empty")
    body = {
        "name": " Tea ",
        "audienceIds": [there, empty, there.upper()],
        "audienceConfigs": [{"name": "Both", "mindIds": [noa, mia, noa]}, {"name": "Mia", "mindIds": [mia]}],
    }

    created = await world.client().post("/studies", json=body)

    assert created.status_code == 201
    shown = {"discipline": "Tea", "profileImageUrl": None, "trainingStatus": "queued"}
    shown_mia, shown_noa = {"id": mia, "name": "Mia", **shown}, {"id": noa, "name": "Noa", **shown}
    assert created.json() == {
        "data": {
            "id": IsUUID,
            "name": "Tea",
            "studyMode": "study",
            "flowMode": "panel",
            "createdAt": NOW,
            "updatedAt": NOW,
            "messageCount": 0,
            "isLinkSharingEnabled": False,
            "publicShareId": None,
            "audiences": [
                {"id": there, "name": "There", "mindCount": 1, "minds": [shown_noa]},
                {"id": empty, "name": "Empty", "mindCount": 0, "minds": []},
                {"id": IsUUID, "name": "Both", "mindCount": 2, "minds": [shown_noa, shown_mia]},
                {"id": IsUUID, "name": "Mia", "mindCount": 1, "minds": [shown_mia]},
            ],
        }
    }
    assert await _totals(world) == (4, 1)


async def test_a_study_may_have_no_audience_yet(world: World) -> None:
    created = await world.client().post("/studies", json={"name": "Tea", "isLinkSharingEnabled": True})

    data = created.json()["data"]
    assert (created.status_code, data["audiences"], data["publicShareId"]) == (201, [], IsUUID)


@pytest.mark.parametrize(
    ("path", "body", "complaint"),
    [
        ("/audiences", {}, "name is required"),
        ("/audiences", {"name": None}, "name is required"),
        ("/audiences", {"name": " \t "}, "name: "),
        ("/audiences", {"name": "x" * 201}, "name: "),
        ("/audiences", {"name": "a\nb"}, "name: "),
        ("/audiences", {"name": "a", "mindIds": ["1"]}, "mindIds.0: "),
        ("/audiences", {"name": "a", "mindIds": "all"}, "mindIds: "),
        ("/audiences", {"name": "a", "mindIds": [UNKNOWN] * 1001}, "mindIds: "),
        ("/audiences", {"name": "a", "isLinkSharingEnabled": "perhaps"}, "isLinkSharingEnabled: "),
        ("/audiences", {"name": "a", "sparkIds": []}, "use mindIds"),
        ("/studies", {}, "name is required"),
        ("/studies", {"name": "  "}, "name: "),
        ("/studies", {"name": "x" * 201}, "name: "),
        ("/studies", {"name": "a", "audienceIds": ["1"]}, "audienceIds.0: "),
        ("/studies", {"name": "a", "audienceIds": [UNKNOWN] * 101}, "audienceIds: "),
        ("/studies", {"name": "a", "audienceConfigs": [{"name": "b", "mindIds": []}]}, "at least 1 item"),
        ("/studies", {"name": "a", "audienceConfigs": [{"name": "b"}]}, "audienceConfigs.0.mindIds is required"),
        ("/studies", {"name": "a", "audienceConfigs": [{"mindIds": [UNKNOWN]}]}, "audienceConfigs.0.name is req"),
        ("/studies", {"name": "a", "audienceConfigs": {"b": [UNKNOWN]}}, "audienceConfigs: "),
        ("/studies", {"name": "a", "groupIds": []}, "use audienceIds"),
        ("/studies", {"name": "a", "groupConfigs": []}, "use audienceConfigs"),
        ("/studies", {"name": "a", "audienceConfigs": [{"name": "b", "sparkIds": []}]}, "use mindIds"),
    ],
)
async def test_a_bad_field_of_a_study_or_an_audience_is_refused_and_nothing_is_made(
    world: World, path: str, body: dict[str, Any], complaint: str
) -> None:
    refused = await world.client().post(path, json=body)

    assert refused.status_code == 400
    assert complaint in refused.json()["message"]
    assert await _totals(world) == (0, 0)


async def test_two_descriptions_of_one_name_are_refused(world: World) -> None:
    (mia,) = await minds(world, "Mia")
    configs = [{"name": name, "mindIds": [mia]} for name in ("Straße", "Other", " STRASSE ")]

    refused = await world.client().post("/studies", json={"name": "a", "audienceConfigs": configs})

    assert refused.status_code == 400
    assert "Straße" in refused.json()["message"]
    assert await _totals(world) == (0, 0)


async def test_what_is_unknown_or_anothers_makes_nothing_at_all(world: World) -> None:
    (mia,), (bobs,) = await minds(world, "Mia"), await minds(world, "Bo", bearer="bob")
    bobs_group, demo = await audience(world, "a", bobs, bearer="bob"), await demo_mind(world)
    good = {"name": "Good", "mindIds": [mia]}

    async def refusals(*bodies: dict[str, Any]) -> set[tuple[int, str]]:
        answered = [await world.client().post("/studies", json={"name": "a", **body}) for body in bodies]
        return {(answer.status_code, answer.text) for answer in answered}

    by_group = await refusals(*({"audienceIds": [given], "audienceConfigs": [good]} for given in (UNKNOWN, bobs_group)))
    by_mind = await refusals(
        *({"audienceConfigs": [good, {"name": "Bad", "mindIds": [mia, given]}]} for given in (UNKNOWN, bobs, demo))
    )

    assert [status for status, _ in [*by_group, *by_mind]] == [404, 404]
    assert await _totals(world) == (0, 0)


@pytest.mark.both_databases
async def test_studies_are_listed_in_the_order_of_their_last_change(world: World) -> None:
    (mia,) = await minds(world, "Mia")
    group_id = await audience(world, "a", mia)
    ids = []
    for name in ("One", "Two", "Three"):
        ids.append(await study(world, name, audienceIds=[group_id]))
        world.clock.forward(1)
    await study(world, "Bob's", bearer="bob")
    async with world.engine.begin() as connection:
        await update_row(connection, Study, ids[0], updated_at=world.clock.now)

    page = (await world.client().get("/studies?limit=2")).json()
    rest = (await world.client().get("/studies?limit=2&offset=2")).json()

    assert [each["name"] for each in [*page["data"], *rest["data"]]] == ["One", "Three", "Two"]
    assert page["pagination"] == {"total": 3, "limit": 2, "offset": 0}
    first = page["data"][0]
    assert (first["studyMode"], first["flowMode"], first["messageCount"]) == ("study", "panel", 0)
    assert (first["audiences"][0]["mindCount"], first["audiences"][0]["minds"][0]["name"]) == (1, "Mia")
    assert "messages" not in first


@pytest.mark.both_databases
async def test_the_messages_are_the_questions_and_what_came_of_those_that_are_completed(world: World) -> None:
    asked, other = await study(world, "Asked"), await study(world, "Other")
    await _ask(world, asked, another(1), [answer()])
    await _ask(world, asked, another(2, status="running", completed_at=None))
    await _ask(world, asked, another(3, status="failed"))

    detail = (await world.client().get(f"/studies/{asked}")).json()["data"]
    listed = (await world.client().get("/studies")).json()["data"]

    roles = [(message["role"], message["metadata"]["status"]) for message in detail["messages"]]
    assert roles == [("user", "completed"), ("assistant", "completed"), ("user", "running"), ("user", "failed")]
    assert detail["messages"][0]["content"] == QUESTION.text
    assert "outputData" in detail["messages"][1]["metadata"]
    assert detail["messageCount"] == 4
    assert {each["id"]: each["messageCount"] for each in listed} == {asked: 4, other: 0}


@pytest.mark.both_databases
async def test_a_deleted_study_takes_what_was_asked_with_it_and_leaves_its_audiences(world: World) -> None:
    group_id = await audience(world, "a", *await minds(world, "Mia"))
    study_id = await study(world, audienceIds=[group_id])
    await _ask(world, study_id, QUESTION, [answer()])
    client = world.client()

    deleted = await client.delete(f"/studies/{study_id}")
    again = await client.delete(f"/studies/{study_id}")

    assert (deleted.status_code, deleted.content, again.status_code) == (204, b"", 404)
    assert (await client.get(f"/audiences/{group_id}")).status_code == 200
    async with world.engine.connect() as connection:
        assert (await connection.execute(select(func.count()).select_from(answers))).scalar_one() == 0


@pytest.mark.both_databases
async def test_a_deleted_mind_leaves_the_study_and_its_past_answers_stay(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")
    study_id = await study(world, audienceConfigs=[{"name": "a", "mindIds": [mia, noa]}])
    await _ask(world, study_id, QUESTION, [answer(mind_id=mia, mind_name="Mia")])

    await world.client().delete(f"/minds/{mia}")
    detail = (await world.client().get(f"/studies/{study_id}")).json()["data"]

    assert [mind["name"] for mind in detail["audiences"][0]["minds"]] == ["Noa"]
    said = detail["messages"][1]["metadata"]["outputData"]["audiences"][0]["answers"]
    assert [each["persona"] for each in said] == ["Mia"]


async def test_nobody_reaches_anothers_study(world: World) -> None:
    study_id = await study(world)
    bob = world.client("bob")

    async def tried(path: str) -> list[tuple[int, str]]:
        answered = [await bob.get(path), await bob.delete(path)]
        return [(each.status_code, each.json()["message"]) for each in answered]

    anothers, unknown = await tried(f"/studies/{study_id}"), await tried(f"/studies/{UNKNOWN}")

    assert anothers == unknown
    assert [status for status, _ in anothers] == [404, 404]
    assert (await bob.get("/studies")).json()["data"] == []
    assert (await bob.get("/studies/1")).status_code == 400
    assert (await world.client().get(f"/studies/{study_id}")).status_code == 200

"""Listing, reading and deleting minds."""

import asyncio
from typing import Any

import pytest
from dirty_equals import IsDatetime, IsUUID
from sqlalchemy import text

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind, first_items
from tests.app.internal_api.support import KEYWORDS, LINKED, World, stored_chunks


async def _names(world: World, query: str = "") -> list[str]:
    answer = await world.client().get(f"/minds?{query}")
    return [mind["name"] for mind in answer.json()["data"]]


@pytest.mark.both_databases
async def test_minds_are_listed_newest_first_in_pages(world: World) -> None:
    for name in ("One", "Two", "Three"):
        await world.mind({**KEYWORDS, "name": name})
        world.clock.forward(1)

    page = (await world.client().get("/minds?limit=2&offset=1")).json()

    assert [mind["name"] for mind in page["data"]] == ["Two", "One"]
    assert page["pagination"] == {"total": 3, "limit": 2, "offset": 1}
    states = [(mind["trainingStatus"], mind["readyToChat"], mind["knowledgeItemCount"]) for mind in page["data"]]
    assert states == [("queued", False, 1)] * 2


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("ada", ["Ada"]),
        ("LEAVES", ["Ada"]),
        ("écume", ["Ada"]),
        ("100%25", []),
        ("a_a", []),
        ("Botany", ["Ada"]),
        ("via api", []),
    ],
)
async def test_a_search_is_a_substring_of_name_description_or_discipline_in_any_case(
    world: World, search: str, found: list[str]
) -> None:
    await world.mind({**KEYWORDS, "description": "Knows leaves and ÉCUME", "discipline": "botany"})
    await world.mind({**KEYWORDS, "name": "Bob"})

    assert await _names(world, f"search={search}") == found


async def test_one_mind_is_shown_in_full_and_sharing_by_link_mints_an_id(world: World) -> None:
    mind_id = await world.trained({**KEYWORDS, "isLinkSharingEnabled": True})

    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]

    expected: dict[str, Any] = {
        "id": mind_id,
        "name": "Ada",
        "isPublic": False,
        "isLinkSharingEnabled": True,
        "publicShareId": IsUUID,
        "phoneNumber": None,
        "clonedVoiceStatus": None,
        "profitSplitOptIn": False,
        "knowledgeItemCount": 1,
        "trainingStatus": "completed",
        "readyToChat": True,
        "systemPrompt": "You are Ada. You know: oolong, sencha.",
    }
    assert {key: detail[key] for key in expected} == expected


@pytest.mark.both_databases
async def test_a_deleted_mind_takes_everything_with_it(world: World) -> None:
    mind_id = await world.trained()

    deleted = await world.client().delete(f"/minds/{mind_id}")
    again = await world.client().delete(f"/minds/{mind_id}")

    assert (deleted.status_code, deleted.content, again.status_code) == (204, b"", 404)
    async with world.engine.connect() as connection:
        for table in ("training_jobs", "knowledge_items", "knowledge_chunks"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0


async def test_a_new_mind_is_answered_with_its_summary_and_its_waiting_training(world: World) -> None:
    body = {**KEYWORDS, "description": "Knows leaves", "type": "creative", "tags": ["tea"]}

    created = await world.client().post("/minds", json=body)

    assert created.status_code == 201
    assert created.json() == {
        "data": {
            "id": IsUUID,
            "name": "Ada",
            "description": "Knows leaves",
            "type": "creative",
            "discipline": "Tea",
            "sourcePolicy": "auto",
            "tags": ["tea"],
            "profileImageUrl": None,
            "createdAt": IsDatetime(iso_string=True),
            "updatedAt": "2023-11-14T22:13:20.000Z",
        },
        "training": {
            "status": "queued",
            "readyToChat": False,
            "message": "Waiting to start",
            "startedAt": None,
            "completedAt": None,
            "progress": 0,
            "stage": "queued",
        },
    }


async def test_what_is_left_out_gets_the_documented_defaults(world: World) -> None:
    created = await world.client().post(
        "/minds", json={**KEYWORDS, "name": " \n Ada \t", "unknownField": 1, "tags": None, "locale": "pt-BR"}
    )

    summary = created.json()["data"]
    assert (summary["name"], summary["description"]) == ("Ada", "Created via API")
    assert (summary["type"], summary["sourcePolicy"], summary["tags"]) == ("expert", "auto", [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": None}, "name is required"),
        ({"discipline": None}, "discipline is required"),
        ({"name": "A"}, "name: String should have at least 2 characters"),
        ({"name": "A" * 101}, "name: String should have at most 100 characters"),
        ({"name": "Ada\nLovelace"}, "name: must not contain control characters"),
        ({"keywords": []}, "keywords is required when mode is keywords"),
        ({"mode": "clone"}, "personaContext is required when mode is clone"),
        ({"mode": "link"}, "contextLink is required when mode is link"),
        ({"mode": "link", "contextLink": "file:///etc/passwd"}, "contextLink: must be an http or https address"),
        ({"mode": "psychic"}, None),
        ({"type": "robot"}, None),
        ({"tags": [str(number) for number in range(21)]}, None),
        ({"keywords": ["x" * 101]}, None),
        ({"sourcePolicy": "never"}, None),
        ({"description": 7}, None),
        ({"locale": "german"}, None),
        ({"name": "  A  "}, None),
    ],
)
async def test_a_bad_field_is_refused_and_nothing_is_made(
    world: World, change: dict[str, Any], message: str | None
) -> None:
    client = world.client()

    refused = await client.post("/minds", json={**KEYWORDS, **change})

    assert refused.status_code == 400
    body = refused.json()
    assert (body["statusCode"], body["error"], body["url"]) == (400, True, "/api/v1/minds")
    assert body["statusMessage"] == body["message"]
    assert message is None or body["message"] == message
    assert (await client.get("/minds")).json()["pagination"]["total"] == 0


async def test_an_address_that_may_not_be_reached_makes_no_mind(world: World) -> None:
    world.refused_links["http://10.0.0.1/"] = SourceRefused("private_address", "Not a public address.")
    client = world.client()

    refused = await client.post("/minds", json={**LINKED, "contextLink": "http://10.0.0.1/"})

    assert (refused.status_code, refused.json()["data"]) == (400, {"code": "private_address"})
    assert (await client.get("/minds")).json()["data"] == []


async def test_the_deprecated_name_of_the_link_is_understood(world: World) -> None:
    body = {"name": "Ada", "discipline": "Tea", "mode": "link", "link": "https://example.com/tea"}

    mind_id = await world.trained(body)

    assert len(await stored_chunks(world.engine, mind_id)) == 3


async def test_a_manual_mind_waits_for_knowledge_as_a_retryable_failure(world: World) -> None:
    created = await world.client().post("/minds", json={**KEYWORDS, "mode": "manual"})

    training = created.json()["training"]
    assert (training["status"], training["readyToChat"]) == ("failed", False)
    assert training["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": True, "reason": None}


@pytest.mark.both_databases
async def test_a_demo_mind_closes_when_its_day_is_over_and_is_then_deleted(world: World) -> None:
    created = await world.client("demo").post("/minds", json=KEYWORDS)
    data = created.json()["data"]
    visitor = world.client("demo", headers={"x-minds-demo-token": data["demo"]["token"]})
    await world.train()
    assert data["demo"]["expiresAt"] == "2023-11-15T22:13:20.000Z"
    assert (await visitor.get(f"/minds/{data['id']}")).status_code == 200

    world.clock.forward(24 * 3600)

    assert (await visitor.get(f"/minds/{data['id']}")).status_code == 404
    assert await world.api().worker.clean() == 1
    assert await stored_chunks(world.engine, data["id"]) == []


async def test_demo_minds_are_in_nobodys_list(world: World) -> None:
    await world.client("demo").post("/minds", json=KEYWORDS)

    listed = await world.client("demo").get("/minds")

    assert listed.json() == {"data": [], "pagination": {"total": 0, "limit": 100, "offset": 0}}


@pytest.mark.both_databases
async def test_the_demo_has_an_exact_quota(world: World) -> None:
    world.settings = world.settings.model_copy(update={"demo_quota": 2})
    client = world.client("demo")

    answers = await asyncio.gather(*(client.post("/minds", json=KEYWORDS) for _ in range(5)))

    assert sorted(answer.status_code for answer in answers) == [201, 201, 403, 403, 403]
    refused = next(answer.json() for answer in answers if answer.status_code == 403)
    assert refused["data"] == {
        "code": "PLAN_LIMIT",
        "limitType": "sparks",
        "currentPlan": "demo",
        "limit": 2,
        "current": 2,
    }


async def test_an_idempotency_key_shows_a_demo_visitor_nobody_elses_mind(world: World) -> None:
    client = world.client("demo", headers={"x-minds-idempotency-key": "once"})

    answers = [await client.post("/minds", json=KEYWORDS) for _ in range(2)]

    assert answers[0].json()["data"]["id"] != answers[1].json()["data"]["id"]


CLONE = {**KEYWORDS, "mode": "clone", "personaContext": "Born in Leith.", "description": "A poet"}


@pytest.mark.parametrize(
    ("body", "real"), [(KEYWORDS, False), (CLONE, True), ({**CLONE, "isRealPerson": False}, False)]
)
def test_a_clone_is_a_real_person_unless_it_is_said(body: dict[str, object], real: bool) -> None:
    assert draft_mind(CreateMind.model_validate(body), "owner", 0).is_real_person is real


def test_the_profile_is_fed_by_what_the_owner_said_and_not_by_the_default_description() -> None:
    said = draft_mind(CreateMind.model_validate(CLONE), "owner", 0)
    unsaid = draft_mind(CreateMind.model_validate(KEYWORDS), "owner", 0)

    assert (said.context, unsaid.context) == ("Born in Leith.\n\nA poet", "")


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (KEYWORDS, ["keywords"]),
        (CLONE, ["persona"]),
        (LINKED, ["link"]),
        ({**KEYWORDS, "mode": "manual"}, []),
        ({**LINKED, **CLONE, "keywords": ["tides"]}, ["persona", "link"]),
    ],
)
def test_whatever_a_mind_is_given_becomes_its_first_knowledge(body: dict[str, Any], kinds: list[str]) -> None:
    asked = CreateMind.model_validate(body)

    items = first_items(asked, draft_mind(asked, "owner", 0))

    assert [item.source_type for item, _ in items] == kinds
    if text := items and items[0][1]:
        assert all(keyword in text for keyword in asked.keywords)
        assert asked.persona_context in text


@pytest.mark.both_databases
async def test_what_is_said_of_a_mind_is_changed_and_found_by_its_new_name(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "tags": ["old"]})

    changed = await world.client().put(f"/minds/{mind_id}", json={"name": "Grace", "tags": ["region: North"]})
    nothing = await world.client().put(f"/minds/{mind_id}", json={})

    assert (changed.json()["data"]["name"], changed.json()["data"]["tags"]) == ("Grace", ["region: North"])
    assert await _names(world, "search=grace") == ["Grace"]
    assert nothing.status_code == 400


@pytest.mark.both_databases
async def test_a_mind_that_is_renamed_does_not_tell_its_old_name(world: World) -> None:
    mind_id = await world.trained({**KEYWORDS, "discipline": "Ada"})

    changed = await world.client().put(f"/minds/{mind_id}", json={"name": "Grace"})
    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]
    known = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()

    assert changed.json()["data"]["discipline"] == "Grace"
    assert detail["systemPrompt"].startswith("You are Grace")
    assert [item["description"] for item in known["data"]["items"]] == ["About Grace"]

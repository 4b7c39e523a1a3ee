"""Listing, reading and deleting minds."""

from typing import Any

import pytest
from sqlalchemy import text

from tests.app.internal_api.support import KEYWORDS, World


async def _names(world: World, query: str = "") -> list[str]:
    answer = await world.client().get(f"/minds?{query}")
    return [mind["name"] for mind in answer.json()["data"]]


async def test_minds_are_listed_newest_first_in_pages(world: World) -> None:
    for name in ("One", "Two", "Three"):
        await world.mind({**KEYWORDS, "name": name})
        world.clock.forward(1)

    page = (await world.client().get("/minds?limit=2&offset=1")).json()

    assert [mind["name"] for mind in page["data"]] == ["Two", "One"]
    assert page["pagination"] == {"total": 3, "limit": 2, "offset": 1}
    assert "trainingStatus" not in page["data"][0]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("ada", ["Ada"]),
        ("LEAVES", ["Ada"]),
        ("écume", ["Ada"]),
        ("100%25", []),
        ("a_a", []),
        ("Botany", ["Ada"]),
    ],
)
async def test_a_search_is_a_substring_of_name_description_or_discipline_in_any_case(
    world: World, search: str, found: list[str]
) -> None:
    await world.mind({**KEYWORDS, "description": "Knows leaves and ÉCUME", "discipline": "botany"})

    assert await _names(world, f"search={search}") == found


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=-1",
        "limit=1.5",
        "offset=-1",
        "offset=x",
        "limit=",
        "limit=%D9%A1",
    ],
)
async def test_a_bad_page_is_refused(world: World, query: str) -> None:
    refused = await world.client().get(f"/minds?{query}")

    assert refused.status_code == 400


async def test_one_mind_is_shown_in_full(world: World) -> None:
    mind_id = await world.trained({**KEYWORDS, "isLinkSharingEnabled": False})

    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]

    expected: dict[str, Any] = {
        "id": mind_id,
        "name": "Ada",
        "isPublic": False,
        "isLinkSharingEnabled": False,
        "publicShareId": None,
        "phoneNumber": None,
        "clonedVoiceStatus": None,
        "profitSplitOptIn": False,
        "knowledgeItemCount": 1,
        "trainingStatus": "completed",
        "readyToChat": True,
        "systemPrompt": "You are Ada. You know: oolong, sencha.",
    }
    assert {key: detail[key] for key in expected} == expected


async def test_before_it_is_trained_a_mind_has_no_prompt_and_is_not_ready(world: World) -> None:
    mind_id = await world.mind()

    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]

    assert (detail["trainingStatus"], detail["readyToChat"], detail["systemPrompt"]) == (
        "queued",
        False,
        None,
    )


async def test_sharing_by_link_mints_an_id(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "isLinkSharingEnabled": True})

    detail = (await world.client().get(f"/minds/{mind_id}")).json()["data"]

    assert detail["publicShareId"]


async def test_a_deleted_mind_takes_everything_with_it(world: World) -> None:
    mind_id = await world.trained()

    deleted = await world.client().delete(f"/minds/{mind_id}")
    again = await world.client().delete(f"/minds/{mind_id}")

    assert (deleted.status_code, deleted.content, again.status_code) == (204, b"", 404)
    async with world.engine.connect() as connection:
        for table in ("training_jobs", "knowledge_items", "knowledge_chunks"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0

"""Training asked for again: once at a time, and without making a ready mind unready."""

import asyncio

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from tests.app.internal_api.support import LINK, LINKED, World, stored_chunks


async def test_a_training_that_is_not_finished_cannot_be_asked_for_again(world: World) -> None:
    mind_id = await world.mind()
    client = world.client()

    refused = [await client.post(f"/minds/{mind_id}/retrain"), await client.post(f"/minds/{mind_id}/regenerate-prompt")]

    assert [answer.status_code for answer in refused] == [409, 409]


@pytest.mark.both_databases
async def test_of_several_requests_at_the_same_moment_one_is_queued(world: World) -> None:
    mind_id = await world.trained()
    client = world.client()

    answers = await asyncio.gather(*(client.post(f"/minds/{mind_id}/retrain") for _ in range(5)))

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]


async def test_a_ready_mind_answers_while_it_is_trained_anew(world: World) -> None:
    mind_id = await world.trained(LINKED)
    world.web.pages[LINK] = "New page."

    queued = (await world.client().post(f"/minds/{mind_id}/retrain")).json()
    said = await world.client().post(f"/minds/{mind_id}/completion", json={})
    await world.train()

    assert (queued["status"], queued["readyToChat"], queued["progress"]) == ("queued", True, 0)
    assert said.status_code == 200
    assert await stored_chunks(world.engine, mind_id) == ["New page."]


async def test_a_source_that_is_gone_when_it_is_read_again_stays_known(world: World) -> None:
    mind_id = await world.trained(LINKED)
    world.web.pages[LINK] = SourceRefused("http_status", "The page's server answered 404.")

    await world.client().post(f"/minds/{mind_id}/retrain")
    await world.train()

    assert len(await stored_chunks(world.engine, mind_id)) == 3
    items = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]
    assert items[0]["processing"]["status"] == "failed"


async def test_the_prompt_of_a_ready_mind_is_written_anew_on_its_own(world: World) -> None:
    mind_id = await world.trained(LINKED)
    world.persona_engine.asked.clear()

    answer = await world.client().post(f"/minds/{mind_id}/regenerate-prompt")
    await world.train()

    assert answer.json()["data"]["readyToChat"] is True
    assert [what for what, _ in world.persona_engine.asked] == ["prompt"]
    assert world.web.asked == [LINK]

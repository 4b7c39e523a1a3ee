"""Cutting what was read into chunks."""

from tests.app.internal_api.support import KEYWORDS, LINK, LINKED, World, stored_chunks
from tests.app.internal_api.training.interruptions import training_of

STAGES = ["profile", "collect", "index", "prompt"]


async def test_a_page_without_text_fails_the_collection(world: World) -> None:
    world.web.pages[LINK] = "\n\n"

    mind_id = await world.trained(LINKED)

    assert (await training_of(world, mind_id))["error"] == {
        "code": "COLLECTION_FAILED",
        "retryable": False,
        "reason": "no_text",
    }


async def test_a_clone_is_trained_from_what_its_owner_said(world: World) -> None:
    body = {**KEYWORDS, "mode": "clone", "personaContext": "Born in Leith.\n\nDrinks sencha."}

    mind_id = await world.trained(body)

    assert await stored_chunks(world.engine, mind_id) == ["Born in Leith.", "Drinks sencha."]


async def test_keywords_become_knowledge_that_says_where_it_is_from(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)

    assert await stored_chunks(world.engine, mind_id) == [
        "Ada's field is Tea.",
        "Ada knows about oolong.",
        "Ada knows about sencha.",
    ]
    listed = await world.client().get(f"/minds/{mind_id}/knowledge")
    assert [item["sourceType"] for item in listed.json()["data"]["items"]] == ["keywords"]

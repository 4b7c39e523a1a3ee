"""Reading the sources of a mind."""

import pytest
from structlog.testing import capture_logs

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.knowledge.documents import SourceRefused
from tests.app.internal_api.support import KEYWORDS, LINK, LINKED, World, stored_chunks
from tests.app.internal_api.training.interruptions import training_of


@pytest.mark.parametrize(
    ("refusal", "retryable"),
    [
        (SourceRefused("private_address", "Not a public address."), False),
        (SourceRefused("timeout", "The page was not read in time."), True),
        (SourceRefused("http_status", "The page's server answered 503.", status=503), True),
        (SourceRefused("http_status", "The page's server answered 404.", status=404), False),
        (SourceRefused("unreadable_pdf", "The PDF cannot be read."), False),
    ],
)
async def test_a_source_that_cannot_be_read_fails_the_collection_with_its_reason(
    world: World, refusal: SourceRefused, retryable: bool
) -> None:
    world.web.pages[LINK] = refusal

    mind_id = await world.trained(LINKED)

    status = await training_of(world, mind_id)
    assert status["error"] == {"code": "COLLECTION_FAILED", "retryable": retryable, "reason": refusal.code}
    assert status["message"] == refusal.message
    items = (await world.client().get(f"/minds/{mind_id}/knowledge")).json()["data"]["items"]
    told = items[0]["processing"]
    assert (told["status"], told["error"], told["errorCode"]) == ("failed", refusal.message, refusal.code)


async def test_sources_that_failed_for_different_reasons_give_no_common_one(world: World) -> None:
    world.web.pages[LINK] = SourceRefused("too_large", "Too large.")
    mind_id = await world.mind(LINKED)
    await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": f"{LINK}/gone"})

    await world.train()

    assert (await training_of(world, mind_id))["error"]["reason"] is None


async def test_a_page_without_text_fails_the_collection(world: World) -> None:
    world.web.pages[LINK] = "\n\n"

    mind_id = await world.trained(LINKED)

    error = {"code": "COLLECTION_FAILED", "retryable": False, "reason": "no_text"}
    assert (await training_of(world, mind_id))["error"] == error


async def test_keywords_become_knowledge_that_says_where_it_is_from(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)

    assert await stored_chunks(world.engine, mind_id) == [
        "Ada's field is Tea.",
        "Ada knows about oolong.",
        "Ada knows about sencha.",
    ]
    listed = await world.client().get(f"/minds/{mind_id}/knowledge")
    assert [item["sourceType"] for item in listed.json()["data"]["items"]] == ["keywords"]


@pytest.mark.parametrize("retryable", [True, False])
async def test_an_engine_that_is_away_fails_the_profile(world: World, retryable: bool) -> None:
    world.persona_engine.down = EngineUnavailable("secret host", retryable=retryable, kind="failed", status=502)

    with capture_logs() as logs:
        mind_id = await world.trained(LINKED)

    status = await training_of(world, mind_id)
    assert status["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": True, "reason": "failed_502"}
    assert "secret" not in status["message"]
    (told,) = [line for line in logs if line["event"] == "training.stage_failed"]
    assert (told["log_level"], told["kind"], told["status"]) == ("warning", "failed", 502)
    assert "secret" not in str(logs)


async def test_a_mind_is_trained_from_its_link(world: World) -> None:
    mind_id = await world.trained(LINKED)

    status = await training_of(world, mind_id)
    assert (status["status"], status["stage"], status["progress"]) == ("completed", "completed", 100)
    assert status["readyToChat"] is True
    assert "error" not in status
    assert (await stored_chunks(world.engine, mind_id))[1] == "Green tea is steeped at eighty degrees."
    assert world.persona_engine.asked[-1][1][2] == ("Tea",)


async def test_what_the_owner_named_is_what_the_mind_knows_about(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)
    await world.add(mind_id, json={"keywords": ["matcha", "gyokuro"], "regeneratePrompt": True})
    await world.train()

    outlines = [told[2] for what, told in world.persona_engine.asked if what == "prompt"]
    assert outlines == [("oolong", "sencha"), ("oolong", "sencha", "matcha", "gyokuro")]

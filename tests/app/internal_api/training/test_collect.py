"""Reading the sources of a mind."""

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from tests.app.internal_api.support import LINK, LINKED, World
from tests.app.internal_api.training.interruptions import kill_in_the_middle_of, training_of

STAGES = ["profile", "collect", "index", "prompt"]


async def test_the_message_counts_the_sources(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mind_id = await world.mind(LINKED)
    await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": f"{LINK}/2"})

    await kill_in_the_middle_of(world, "collect", monkeypatch)

    assert (await training_of(world, mind_id))["message"] == "Reading 1 of 2 sources"


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


async def test_one_readable_source_is_enough(world: World) -> None:
    mind_id = await world.mind(LINKED)
    await world.client().post(f"/minds/{mind_id}/knowledge", json={"link": f"{LINK}/gone"})

    await world.train()

    assert (await training_of(world, mind_id))["status"] == "completed"

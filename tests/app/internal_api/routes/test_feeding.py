"""What adding knowledge sets in motion."""

from tests.app.internal_api.support import KEYWORDS, World, stored_chunks

TEXT = {"text": "Matcha is ground.\n\nIt is whisked.", "description": "On matcha"}


async def test_a_mind_holds_a_bounded_number_of_items(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_items_per_mind": 1})
    mind_id = await world.mind()

    refused = await world.add(mind_id, json=TEXT)

    assert (refused.status_code, refused.json()["data"]["code"]) == (403, "PLAN_LIMIT")


async def test_a_manual_mind_becomes_ready_by_knowledge_and_a_prompt(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "mode": "manual"})
    await world.add(mind_id, json=TEXT)
    await world.train()
    before = (await world.client().get(f"/minds/{mind_id}/training")).json()

    answer = await world.client().post(f"/minds/{mind_id}/regenerate-prompt")
    await world.train()

    after = (await world.client().get(f"/minds/{mind_id}/training")).json()
    assert (before["status"], before["readyToChat"]) == ("failed", False)
    assert (answer.status_code, answer.json()["success"], answer.json()["data"]["status"]) == (
        200,
        True,
        "queued",
    )
    assert (after["status"], after["readyToChat"]) == ("completed", True)
    assert len(await stored_chunks(world.engine, mind_id)) == 2


async def test_knowledge_that_asks_for_a_prompt_trains_a_manual_mind(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "mode": "manual"})

    await world.add(mind_id, json={**TEXT, "regeneratePrompt": True})
    await world.train()

    after = (await world.client().get(f"/minds/{mind_id}/training")).json()
    assert (after["status"], after["readyToChat"]) == ("completed", True)


async def test_a_manual_mind_without_knowledge_stays_a_retryable_failure(world: World) -> None:
    mind_id = await world.mind({**KEYWORDS, "mode": "manual"})

    await world.client().post(f"/minds/{mind_id}/regenerate-prompt")
    await world.train()

    after = (await world.client().get(f"/minds/{mind_id}/training")).json()
    assert after["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": True, "reason": None}

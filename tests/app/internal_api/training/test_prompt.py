"""Writing the prompt, which makes a mind ready."""

from tests.app.internal_api.support import KEYWORDS, LINKED, World, stored_chunks
from tests.app.internal_api.training.interruptions import training_of

STAGES = ["profile", "collect", "index", "prompt"]


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


async def test_a_mind_that_knows_only_itself_speaks_of_its_field(world: World) -> None:
    await world.trained({**KEYWORDS, "mode": "clone", "keywords": [], "personaContext": "Born in Leith."})

    assert world.persona_engine.asked[-1][1][2] == ("Tea",)

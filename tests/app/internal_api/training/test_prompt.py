"""Writing the prompt, which makes a mind ready."""

from tests.app.internal_api.support import LINKED, World, stored_chunks
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

"""A real process, killed with SIGKILL in the middle of a training, and what the next one makes of it."""

import asyncio
import sys
from asyncio.subprocess import PIPE

from sqlalchemy import URL

from app.internal_api.factory import now_ms
from tests.app.internal_api.support import LINK, LINKED, World, stored_chunks, within
from tests.app.internal_api.training.interruptions import training_of

MODULE = "tests.app.internal_api.training.killed"
SECOND = f"{LINK}/2"


async def test_a_killed_process_leaves_a_job_that_the_next_one_finishes_once(world: World, database: URL) -> None:
    world.web.pages[SECOND] = "Oolong is rolled."
    world.clock.now = now_ms()
    mind_id = await world.mind(LINKED)
    await world.add(mind_id, json={"link": SECOND})
    address = database.render_as_string(hide_password=False)
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", MODULE, address, stdout=PIPE)
    assert process.stdout is not None
    assert await within(process.stdout.readline(), 60) == b"reading\n"

    process.kill()
    await within(process.wait())
    world.clock.now = now_ms()
    left = await training_of(world, mind_id)
    world.clock.forward(60)
    await world.train()

    status = await training_of(world, mind_id)
    assert (left["status"], left["stage"], left["message"]) == ("running", "collect", "Reading 2 of 2 sources")
    assert (status["status"], status["progress"]) == ("completed", 100)
    assert world.web.asked == [SECOND]
    assert sorted(await stored_chunks(world.engine, mind_id)) == [
        "Black tea is steeped at a hundred.",
        "Green tea is steeped at eighty degrees.",
        "Oolong is rolled.",
        "Tea is a drink.",
    ]

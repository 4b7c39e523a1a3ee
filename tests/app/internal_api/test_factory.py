"""The embedded API as it is composed for real."""

import pytest

from tests.app.internal_api.support import World


@pytest.mark.parametrize("run_worker", [True, False])
async def test_the_lifespan_ends_cleanly_with_and_without_a_worker(world: World, run_worker: bool) -> None:
    async with world.api(run_worker=run_worker).lifespan():
        pass

"""Working out who a mind is."""

import pytest
from structlog.testing import capture_logs

from app.internal_api.engines.engine import EngineUnavailable
from tests.app.internal_api.support import LINKED, World
from tests.app.internal_api.training.interruptions import training_of

STAGES = ["profile", "collect", "index", "prompt"]


@pytest.mark.parametrize("retryable", [True, False])
async def test_an_engine_that_is_away_fails_the_profile(world: World, retryable: bool) -> None:
    world.persona_engine.down = EngineUnavailable("secret host", retryable=retryable, kind="failed", status=502)

    with capture_logs() as logs:
        mind_id = await world.trained(LINKED)

    status = await training_of(world, mind_id)
    assert status["error"] == {"code": "PROFILE_GEN_FAILED", "retryable": retryable, "reason": None}
    assert "secret" not in status["message"]
    (told,) = [line for line in logs if line["event"] == "training.stage_failed"]
    assert (told["log_level"], told["kind"], told["status"]) == ("warning", "failed", 502)
    assert "secret" not in str(logs)

"""What to do next is always something that can be done."""

from typing import Any

import pytest

import mcp_server.toolsets.personas._wire as wire
from mcp_server.toolsets.personas._training import read_training
from mcp_server.toolsets.personas._words import created, next_step
from tests.mcp_server.toolsets.personas.world import TOOLS, failed, summary, training

MADE = wire.made({"data": {**summary("Ada"), "demo": {"token": "t", "expiresAt": "tomorrow"}}})


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (training("completed"), "Talk to it with talk_to_ai_persona."),
        (training("running", ready=True), "Talk to it with talk_to_ai_persona."),
        (training("queued"), "again in 3 seconds"),
        ({}, "again in 3 seconds"),
        (failed("TIMEOUT"), "Create it again"),
        (training("completed", ready=False), "with more material"),
    ],
)
def test_the_next_step_fits_the_state(told: dict[str, Any], said: str) -> None:
    assert said in next_step(read_training(told))


def test_a_visitor_is_told_when_the_demo_ends_and_nothing_that_a_visitor_cannot_do() -> None:
    answer = created(MADE, read_training(training("queued")), duplicate=False, demo=True, manual=False)

    assert "until tomorrow" in answer.message
    assert not any(tool in answer.message for tool in TOOLS)


def test_a_manual_persona_that_can_talk_is_like_any_other() -> None:
    answer = created(MADE, read_training(training("completed")), duplicate=False, demo=False, manual=True)

    assert "Talk to it" in answer.message

"""A model that does not answer in the form that is asked for: from its words to the figures, with one call for each."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.knowledge.embeddings import Embedder
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.gathering import coded
from mcp_server.toolsets.panels._minds.wire import answered
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.app.internal_api.engines.chat_server import chat_server, refuses, says
from tests.app.internal_api.panels.panels import make_panel, queue
from tests.app.internal_api.support import World

MESSY: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parents[3] / "mcp_server/toolsets/panels/_aggregation/messy.toml").read_text(encoding="utf-8")
)
FORMS: dict[str, dict[str, Any]] = {
    "ten": {"type": "scale", "scaleRange": [1, 10]},
    "hundred": {"type": "scale", "scaleRange": [0, 100]},
    "choice": {"type": "categorical", "options": ["Free", "Pro", "Team (up to 10 seats)", "Enterprise"]},
    "several": {"type": "multiselect", "options": ["price", "location", "opening hours", "staff, service", "parking"]},
}


@pytest.mark.parametrize("kind", FORMS)
async def test_every_reply_of_a_messy_model_is_counted_once(world: World, kind: str) -> None:
    expected = Counter({"?": "uncoded", "no view": "declined"}.get(value, "n") for value in MESSY[kind].values())
    panel = await make_panel(world.engine, {"All": [f"P{number}" for number in range(49)]})
    question_id = await queue(world, panel, "What do you say?", classification=FORMS[kind])

    async with chat_server(*map(says, MESSY[kind]), refuses("401 Unauthorized")) as server:
        world.persona_engine = create_engine(server.settings())  # type: ignore[assignment]  # the real one
        await world.ask_all()
    path = f"/studies/{panel.study_id}/messages/{question_id}/answers"
    output = (await world.client().get(path)).json()["outputData"]
    result = aggregate(answered(AskedQuestion("q", "?", "qualitative"), output, ())).overall

    assert len(server.bodies) == result.members == 49
    assert result.n + result.declined + result.uncoded + result.failed == 49
    assert result.failed == 1
    assert result.n >= 0.95 * expected["n"]
    assert result.declined == expected["declined"]
    (group,) = output["audiences"]
    assert group["n"] + group["declined"] + group["uncoded"] + group["failed"] == 49


@pytest.mark.parametrize(
    ("form", "replies", "counted", "shown"),
    [
        ("choice", ["Den kostenlosen Tarif, bitte.", "Pro"], {"Free": 1, "Pro": 1}, "Den kostenlosen Tarif, bitte."),
        ("several", ["Les horaires d'ouverture et le stationnement."], {"opening hours": 1, "parking": 1}, None),
        (
            "several",
            ['{"reason": "So.", "answer": ["Öffnungszeiten", "Parkplätze"]}'],
            {"opening hours": 1, "parking": 1},
            None,
        ),
    ],
)
async def test_options_that_are_named_in_another_language_are_counted_and_keep_their_words(
    world: World, form: str, replies: list[str], counted: dict[str, int], shown: str | None
) -> None:
    if Embedder.installed() is None:
        pytest.skip("the extra is not installed")
    panel = await make_panel(world.engine, {"All": [f"P{number}" for number in range(len(replies))]})
    question_id = await queue(world, panel, "What do you say?", classification=FORMS[form])

    async with chat_server(*map(says, replies)) as server:
        world.persona_engine = create_engine(server.settings())  # type: ignore[assignment]  # the real one
        await world.ask_all()
    path = f"/studies/{panel.study_id}/messages/{question_id}/answers"
    output = (await world.client().get(path)).json()["outputData"]
    asked = coded(answered(AskedQuestion("q", "?", "qualitative"), output, ()))

    assert Counter(one for reply in asked.replies for one in (reply.value or "").split("; ")) == counted
    assert shown is None or shown in {reply.message for reply in asked.replies}
    assert not any(reply.codes for reply in asked.replies)

"""A researcher's work with themes, all the way: asked by tool, coded by a model, revised, asked again, exported."""

import json
from typing import Any, cast

import httpx2
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.chat.engine import create_engine
from mcp_server.caller import Caller
from mcp_server.toolset import discover
from tests.app.internal_api.engines.open_answers import QUESTION
from tests.app.internal_api.panels.coded_panel import model
from tests.app.internal_api.panels.panels import make_panel
from tests.app.internal_api.panels.test_codebook import GROUPS
from tests.app.internal_api.support import FakeEngine, World
from tests.support import ADA, serve


class Bearer:
    """Everybody is Ada to the embedded API."""

    def bearer(self, _caller: Caller) -> str:
        return "ada"


async def test_themes_are_asked_for_merged_kept_by_the_next_asking_and_exported(engine: AsyncEngine) -> None:
    async with model() as server:
        world = World(engine, persona_engine=cast("FakeEngine", create_engine(server.settings())))
        panel, api = await make_panel(engine, GROUPS), world.api()
        network = httpx2.ASGITransport(app=api.app)
        async with (
            api.lifespan(),
            serve(network, discover(["panels"]), credentials=Bearer()) as gateway,
            gateway.connect(ADA) as client,
        ):

            async def call(tool: str, **more: Any) -> dict[str, Any]:
                result = await client.call_tool(tool, {"panelId": panel.study_id, **more})
                assert not result.is_error, result.content
                return dict(result.structured_content or {})

            asked = await call("ask_panel", question=QUESTION, questionType="qualitative")
            themes = {"action": "merge", "themes": ["Fees", "coffee and food"], "label": "Money and food"}
            revised = await call("revise_themes", questionId=asked["questionId"], **themes)
            shown = await call("get_panel_results", questionId=asked["questionId"])
            again = await call("ask_panel", question=QUESTION, questionType="qualitative")
            exported = [await call("export_panel", format=one) for one in ("json", "csv")]
            written = [gateway.files.published[one["url"]][2] for one in exported]

    merged = {theme["label"]: theme["count"] for theme in revised["result"]["themes"]}
    assert len(asked["result"]["themes"]) == 5
    assert len(merged) == 4
    assert {theme["label"]: theme["count"] for theme in shown["questions"][0]["themes"]} == merged
    assert "themes_revised" in {caveat["code"] for caveat in shown["questions"][0]["caveats"]}
    assert set(merged) <= {theme["label"] for theme in again["result"]["themes"]}
    assert len(asked["result"]["dissent"]) == len(again["result"]["dissent"]) == 3
    first = json.loads(written[0])["questions"][0]
    in_json = [one["themes"] for one in first["replies"]]
    assert sum("Money and food" in themes for themes in in_json) == merged["Money and food"]
    assert written[1].decode().count("Money and food") >= merged["Money and food"]

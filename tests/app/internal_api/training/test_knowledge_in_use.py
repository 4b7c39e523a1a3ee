"""A chat client finishes what it began: an empty persona is given knowledge, trained, asked, corrected and deleted."""

import asyncio
import base64
from typing import Any

import httpx2
import pytest
from mcp.types import CallToolResult
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.knowledge.documents import SourceRefused
from mcp_server.toolset import discover
from tests.app.internal_api.panels.test_codebook_in_use import Bearer
from tests.app.internal_api.support import KEYWORDS, World
from tests.support import ADA, failure_of, serve, text_of

FILE = {"uri": "file:///notes/dough.md", "mimeType": "text/markdown"}
DOUGH = "# Dough\n\nThe dough of the harbour bakery rests for eighteen hours.\n"


async def test_a_manual_persona_is_filled_trained_asked_corrected_renamed_and_deleted(engine: AsyncEngine) -> None:
    world = World(engine)
    api = world.api()
    network = httpx2.ASGITransport(app=api.app)
    async with (
        api.lifespan(),
        serve(network, discover(["personas"]), credentials=Bearer()) as gateway,
        gateway.connect(ADA) as client,
    ):

        async def call(tool: str, **more: Any) -> CallToolResult:
            return await client.call_tool(tool, more)

        async def until(status: str) -> dict[str, Any]:
            while True:
                state = (await call("check_ai_persona_training_progress", sparkId=spark)).structured_content or {}
                if state["status"] == status:
                    return state
                await asyncio.sleep(0.05)

        made = await call("create_ai_persona_or_digital_twin", name="Baker Bo", mode="manual")
        spark = (made.structured_content or {})["sparkId"]
        async with asyncio.timeout(60):
            empty = await until("empty")
            listed = text_of(await call("list_my_ai_personas"))
            mute = failure_of(await call("talk_to_ai_persona", sparkId=spark, message="Hello"))
            untaught = failure_of(await call("retrain", sparkId=spark))
            await call(
                "add_knowledge", sparkName="Baker Bo", text="Rye bread is sold on Mondays.", title="Opening hours"
            )
            await until("completed")
            blob = base64.b64encode(DOUGH.encode()).decode()
            added = await call("add_knowledge", sparkId=spark, file={**FILE, "blob": blob})
            known = await call("list_knowledge", sparkId=spark)
            retrained = await call("retrain", sparkId=spark)
            await until("completed")
        said = await call("talk_to_ai_persona", sparkId=spark, message="How long does the dough rest?")
        near = failure_of(await call("delete_persona", sparkName="Baker Bob"))
        accented = failure_of(await call("delete_persona", sparkName="Bäker Bo"))
        gone = await call("remove_knowledge", sparkName="Baker Bo", item="Opening hours")
        left = await call("list_knowledge", sparkId=spark)
        renamed = await call("rename", sparkName="baker", name="B\u00f6 of the harbour")
        deleted = await call("delete_persona", sparkName="Bo\u0308 of  the HARBOUR")
        after = await call("list_my_ai_personas")

    assert "add_knowledge" in text_of(made) + empty["nextStep"]
    assert "knows nothing yet" in listed
    assert (mute["code"], mute["trainingStatus"]) == ("not_ready", "empty")
    assert "add_knowledge" in untaught["message"]
    assert not added.is_error
    assert not retrained.is_error
    assert [row["title"] for row in known.structured_content["items"]] == ["Opening hours", "dough.md"]
    assert said.structured_content["citations"][0]["title"] == "dough.md"
    assert "Baker Bo" in str(near["suggestions"])
    assert "Baker Bo" in str(accented["suggestions"])
    assert "retrain" in gone.structured_content["nextStep"]
    assert [row["title"] for row in left.structured_content["items"]] == ["dough.md"]
    assert renamed.structured_content["name"] == "B\u00f6 of the harbour"
    assert not deleted.is_error
    assert after.structured_content["personas"] == []


async def test_a_dead_link_is_told_as_such_and_taken_away_by_the_name_that_is_shown(engine: AsyncEngine) -> None:
    world = World(engine)
    link = "http://127.0.0.1:8699/nope"
    world.web.pages[link] = SourceRefused("not_found", "The page's server answered 404.", status=404)
    spark = await world.mind({**KEYWORDS, "mode": "manual"})
    api = world.api()
    network = httpx2.ASGITransport(app=api.app)
    async with serve(network, discover(["personas"]), credentials=Bearer()) as gateway, gateway.connect(ADA) as client:

        async def call(tool: str, **more: Any) -> CallToolResult:
            return await client.call_tool(tool, {"sparkId": spark, **more})

        await call("add_knowledge", link=link)
        await world.train()
        failed = text_of(await call("check_ai_persona_training_progress"))
        listed = text_of(await call("list_knowledge"))
        shown = listed.partition("- ")[2].partition(" [id")[0]
        removed = text_of(await call("remove_knowledge", item=shown))
        empty = await call("check_ai_persona_training_progress")
        personas = await client.call_tool("list_my_ai_personas", {})

    assert "The page that the link names is not there." in failed
    assert "again" not in failed
    assert shown == "http: //127.0.0.1:8699/nope"
    assert "add_knowledge" in removed
    assert "retrain" not in removed
    assert (empty.structured_content["status"], empty.structured_content["failure"]) == ("empty", None)
    assert personas.structured_content["personas"][0]["status"] == "empty"


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"text": "One", "link": "https://a.example/"},
        {"file": {"uri": "a.txt", "text": "One", "blob": "T25l"}},
        {"file": {"uri": "a.txt", "blob": "not base64!"}},
        {"file": {"uri": "a.txt"}},
    ],
)
async def test_a_source_that_is_none_or_two_is_refused_with_what_to_give(
    engine: AsyncEngine, source: dict[str, Any]
) -> None:
    world = World(engine)
    spark, api = await world.mind(), world.api()
    network = httpx2.ASGITransport(app=api.app)
    async with serve(network, discover(["personas"]), credentials=Bearer()) as gateway, gateway.connect(ADA) as client:
        refused = failure_of(await client.call_tool("add_knowledge", {"sparkId": spark, **source}))

    assert refused["code"] == "invalid_arguments"

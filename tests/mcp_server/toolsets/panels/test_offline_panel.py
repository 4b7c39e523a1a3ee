"""A panel without a language model: what its personas do not state is in no figure, and what they state is quoted."""

import asyncio
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.composition import Parts
from mcp_server.toolset import discover
from oauth.primitives.scopes import ALL
from tests.edge import Edge, make_keys, running, settings_for

GIVEN = tomllib.loads(Path(__file__).with_name("one_line_personas.toml").read_text("utf-8"))
LINES: dict[str, str] = GIVEN["lines"]


async def called(edge: Edge, key: str, tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
    """What a tool answers, as data and as text."""
    answer = (await edge.call(tool, arguments, key=key)).json()["result"]
    assert not answer.get("isError"), answer
    return answer["structuredContent"], answer["content"][0]["text"]


async def trained(edge: Edge, key: str, spark_id: str) -> None:
    status = ""
    async with asyncio.timeout(60):
        while status != "completed":
            await asyncio.sleep(0.05)
            status = (await called(edge, key, "check_ai_persona_training_progress", sparkId=spark_id))[0]["status"]


@pytest.mark.slow
async def test_of_24_personas_with_a_line_each_no_figure_is_invented_and_each_one_is_cited(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings, Parts(toolsets=discover(["personas", "panels"]))) as edge:
        key, _ = await make_keys(settings, ALL)
        ids = []
        for name, line in LINES.items():
            made, _ = await called(
                edge, key, "create_ai_persona_or_digital_twin", name=f"{name} Guest", mode="clone", personaContext=line
            )
            ids.append(made["sparkId"])
        for spark_id in ids:
            await trained(edge, key, spark_id)
        groups = [{"name": "Early", "sparkIds": ids[:12]}, {"name": "Late", "sparkIds": ids[12:]}]
        panel, _ = await called(edge, key, "create_panel", name="Guests", groupConfigs=groups)

        for asked in GIVEN["questions"]:
            said, text = await called(edge, key, "ask_panel", panelId=panel["panelId"], question=asked["text"])
            while said["status"] == "processing":
                said, text = await called(edge, key, "ask_panel", panelId=panel["panelId"], question=asked["text"])
            check(asked, said["result"], text)


def check(asked: dict[str, Any], result: dict[str, Any], text: str) -> None:
    """Whoever states nothing has no view; the figures are of the others alone, and quote them."""
    answered = {one["persona"].split()[0]: one for one in result["answers"] if one["status"] == "answered"}
    n, overall = len(asked["states"]), result["overall"]
    assert result["type"] == asked["type"]
    assert set(answered) == set(asked["states"])
    assert (overall["n"], overall["declined"], overall["failed"]) == (n, 24 - n, 0)
    for name, value in asked["states"].items():
        assert asked["type"] == "qualitative" or answered[name]["value"] == value
        assert answered[name]["message"] in LINES[name]
        assert answered[name]["sources"]
        assert LINES[name] in text
        assert answered[name]["sources"][0] in text
    said_first = f"{n} of 24 had something on this"
    assert text.split("\n\n")[1].splitlines()[1].startswith(said_first)
    assert overall["value"] is None if n == 0 else overall["value"].startswith(said_first)
    assert (overall["scale"] is not None) == (asked["type"] == "scale" and n > 1)
    assert all(group["value"] is None for group in result["groups"] if group["n"] == 0)
    assert not result["agreements"]
    assert not result["disagreements"]
    assert not result["dissent"]
    assert not any(difference["clear"] for difference in result["differences"])
    assert len(re.findall("LLM_BASE_URL", text)) == 1

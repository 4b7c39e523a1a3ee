"""Every tool against an internal API that serves what is documented and nothing more, in both dialects."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journeys.clients import PythonClient, python_over_http
from tests.journeys.gateway import Gateway
from tests.journeys.panel_story import QUESTIONS, answered, export, tell
from tests.journeys.published_server import DIALECTS, KEY
from tests.journeys.story import TOOLS
from tests.journeys.test_panels import over_http
from tests.processes import HOST, free_port, serving


@pytest.fixture(scope="module", params=DIALECTS)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway whose internal API is a process of another make."""
    folder, upstream, port = tmp_path_factory.mktemp("published"), free_port(), free_port()
    program = ("-m", "tests.journeys.published_server", str(upstream), request.param)
    settings = {
        "HOST": HOST,
        "PORT": str(port),
        "DATA_DIR": str(folder / "var"),
        "MINDSAI_API_URL": f"http://{HOST}:{upstream}",
    }
    with ExitStack() as running:
        running.enter_context(serving(program, upstream, folder, {}, ready="/api/v1/openapi.json"))
        running.enter_context(serving(("-m", "app", "serve"), port, folder, settings))
        document = f"http://{HOST}/nobody-reads-this.html"
        yield Gateway(f"http://{HOST}:{port}/mcp", document, KEY, KEY, settings, folder)


async def test_a_survey_over_http(published: Gateway, tmp_path: Path) -> None:
    async with python_over_http(published.url, KEY, "auto") as client:
        told = await tell(client, published, "HTTP")

        await export(client, told, over_http, tmp_path)


async def panel_of(client: PythonClient, name: str) -> str:
    """A panel of two groups with two personas each, one of which existed before; all tools but the survey's."""
    names = [f"{name} {number}" for number in range(4)]
    for each in names:
        wish = {"name": each, "mode": "keywords", "keywords": ["bicycles"]}
        made = await client.call("create_ai_persona_or_digital_twin", wish)
        await client.call("check_ai_persona_training_progress", {"sparkId": made["sparkId"]})
    await client.call("create_group", {"name": f"{name} Old", "sparkNames": names[:2]})
    new = {"name": f"{name} New", "sparkNames": names[2:]}
    panel = await client.call("create_panel", {"name": name, "groupConfigs": [new], "groupIds": [f"{name} Old"]})
    return str(panel["panelId"])


async def test_the_tools_around_a_survey(published: Gateway) -> None:
    async with python_over_http(published.url, KEY, "legacy") as client:
        panel = await panel_of(client, "Around")

        assert sorted(await client.tools()) == list(TOOLS)
        listed = await client.call("list_my_ai_personas", {"searchQuery": "around"})
        talk = await client.call("talk_to_ai_persona", {"sparkName": "Around 1", "message": "Good morning"})
        groups = await client.call("list_groups", {"searchQuery": "Around"})
        panels = await client.call("list_panels", {"searchQuery": "Around"})

    assert {row["name"] for row in listed["personas"]} == {f"Around {number}" for number in range(4)}
    assert talk["message"] == "You said: Good morning"
    assert {group["name"] for group in groups["groups"]} == {"Around Old", "Around New"}
    assert [row["id"] for row in panels["panels"]] == [panel]


async def test_answers_survive_every_way_in_which_they_may_come(published: Gateway) -> None:
    async with python_over_http(published.url, KEY, "auto") as client:
        panel = await panel_of(client, "Ways")
        asked = [f"{QUESTIONS['scale']} {way}" for way in ("[odd]", "[cut]", "[without result]")]

        answers = [await answered(client, {"panelId": panel, "question": question}) for question in asked]

    for answer in answers:
        assert (answer["status"], answer["done"], answer["total"]) == ("completed", 4, 4)
        assert [group["n"] for group in answer["result"]["groups"]] == [2, 2]

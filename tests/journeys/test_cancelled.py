"""A study whose call is cancelled: nobody is asked any further, and the same call goes on from there."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.language_model import LanguageModel, answering
from tests.journeys.clients import ERAS, PythonClient, python_over_http, python_over_stdio, stdio_command
from tests.journeys.host import Host, followed, key_for, new_host, started
from tests.processes import environment

LOOKS = 10
"""A tenth of a second apart: time for a notification on its way, and for a next question, were it asked."""

QUESTIONS = [f"On a scale of 1 to 10, how good is the {part}?" for part in ("lock", "battery", "app")]


@pytest.fixture
def model() -> Iterator[LanguageModel]:
    with answering() as model:
        yield model


@asynccontextmanager
async def connected(host: Host, key: str, transport: str, era: str) -> AsyncIterator[PythonClient]:
    if transport == "http":
        async with started(host), python_over_http(host.url, key, era) as client:
            yield client
        return
    variables = environment(**host.settings, MINDSAI_API_KEY=key)
    async with python_over_stdio(*stdio_command(), variables, host.folder, era) as client:
        yield client


async def questions(client: PythonClient, panel: str) -> list[tuple[str, str]]:
    """What the panel was asked, in order, and how it stands with each."""
    told = await client.call("get_panel_results", {"panelId": panel})
    return [(one["question"], one["status"]) for one in reversed(told["questions"])]


async def until(client: PythonClient, panel: str, status: str) -> None:
    """Until it stands so with the question that was asked last."""
    async with asyncio.timeout(60):
        while [one for _, one in await questions(client, panel)][-1:] != [status]:  # noqa: ASYNC110  another process
            await asyncio.sleep(0.1)


async def watched(client: PythonClient, panel: str) -> list[str]:
    """What the panel has been asked after a while."""
    for _ in range(LOOKS):
        await asyncio.sleep(0.1)
        asked = await questions(client, panel)
    return [question for question, _ in asked]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_a_study_stops_when_its_call_is_cancelled_and_goes_on_with_the_same_call(
    tmp_path: Path, model: LanguageModel, transport: str, era: str
) -> None:
    host = new_host(tmp_path, LLM_BASE_URL=model.url, LLM_MODEL="test-model")
    async with connected(host, await key_for(host), transport, era) as client:
        about = {"name": "Ada", "mode": "keywords", "keywords": ["bicycles"], "personaContext": "Rides to work."}
        spark = (await client.call("create_ai_persona_or_digital_twin", about))["sparkId"]
        await followed(client, spark)
        groups = [{"name": "All", "sparkIds": [spark]}]
        panel = (await client.call("create_panel", {"name": "Bicycles", "groupConfigs": groups}))["panelId"]
        study: dict[str, Any] = {"panelId": panel, "questions": [{"question": one} for one in QUESTIONS]}
        model.go.clear()
        call = asyncio.create_task(client.call("ask_panel", study))
        await until(client, panel, "processing")

        call.cancel()
        await asyncio.wait([call])
        await watched(client, panel)
        model.go.set()
        await until(client, panel, "completed")
        asked = await watched(client, panel)
        told = await client.call("ask_panel", study)
        in_all = await questions(client, panel)

    assert asked == QUESTIONS[:1]
    assert (told["status"], told["resumed"], told["waiting"]) == ("completed", True, [])
    assert in_all == [(question, "completed") for question in QUESTIONS]

"""A server that is killed in the middle of a training or a study: started again, it finishes what it began, once."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from tests.browser.language_model import LanguageModel, answering
from tests.edge import within
from tests.journeys.clients import PythonClient, python_over_http
from tests.journeys.handbook import ANSWERED
from tests.journeys.host import Host, api, followed, in_database, key_for, kill_all_of, new_host, started
from tests.journeys.library import Library, assert_everything_is_there_once, open_library

LEASE = {"INTERNAL_API_LEASE_SECONDS": "1", "INTERNAL_API_POLL_SECONDS": "0.2"}


@dataclass(frozen=True)
class Scene:
    """A host that is not running yet, the key of a user, and the library with its only document."""

    host: Host
    key: str
    library: Library


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    async with open_library() as library:
        yield library


async def prepared(database: URL, tmp_path: Path, library: Library, **more: str) -> Scene:
    host = new_host(tmp_path, FETCH_ALLOW_HOSTS=library.server.netloc, **in_database(database), **LEASE, **more)
    return Scene(host, await key_for(host), library)


async def killed_while_reading(scene: Scene) -> tuple[str, int]:
    """Begin a training and kill the server while it reads the document: the persona's id, and the progress so far."""
    async with started(scene.host) as server:
        async with python_over_http(scene.host.url, scene.key) as client:
            wish = {"name": "Survivor", "mode": "link", "contextLink": scene.library.link}
            made = await client.call("create_ai_persona_or_digital_twin", wish)
            await within(scene.library.asked.wait())
            seen = await client.call("check_ai_persona_training_progress", {"sparkId": made["sparkId"]})
        assert (seen["status"], seen["stage"]) == ("running", "collect")
        kill_all_of(server)
    return made["sparkId"], seen["progress"]


async def watched(scene: Scene, spark_id: str) -> list[dict[str, Any]]:
    async with python_over_http(scene.host.url, scene.key) as client:
        return await followed(client, spark_id)


async def assert_it_can_talk(scene: Scene, spark_id: str) -> None:
    async with python_over_http(scene.host.url, scene.key) as client:
        told = await client.call("talk_to_ai_persona", {"sparkId": spark_id, "message": ANSWERED[0].words})
    assert ANSWERED[0].fact in told["message"]


@pytest.mark.security("FI-19")
async def test_a_training_that_was_killed_is_finished_by_the_next_server(
    database: URL, tmp_path: Path, library: Library
) -> None:
    scene = await prepared(database, tmp_path, library)
    spark_id, progress = await killed_while_reading(scene)

    async with started(scene.host):
        library.released.set()
        looks = await watched(scene, spark_id)
        await assert_it_can_talk(scene, spark_id)

    told = [progress, *(look["progress"] for look in looks)]
    assert told == sorted(told)
    assert (looks[-1]["status"], looks[-1]["progress"], looks[-1]["readyToChat"]) == ("completed", 100, True)
    assert len(library.server.heads) == 2
    await assert_everything_is_there_once(scene.host, spark_id)


LAST = "On a scale of 1 to 10, how good is the battery?"
STUDY = [{"question": "On a scale of 1 to 10, how good is the lock?"}, {"question": LAST}]


async def until_asked(host: Host, key: str, panel: str, *statuses: str) -> None:
    """Until it stands so with each question of the panel. Looks past the tools, which would tell the answers."""
    async with api(host, key) as web, asyncio.timeout(60):
        while True:
            messages = (await web.get(f"/studies/{panel}")).json()["data"]["messages"]
            if [one["metadata"]["status"] for one in messages if one["role"] == "user"] == list(statuses):
                return
            await asyncio.sleep(0.1)


async def new_panel(client: PythonClient) -> str:
    about = {"name": "Ada", "mode": "keywords", "keywords": ["bicycles"], "personaContext": "Rides to work."}
    spark = (await client.call("create_ai_persona_or_digital_twin", about))["sparkId"]
    await followed(client, spark)
    made = await client.call("create_panel", {"name": "All", "groupConfigs": [{"name": "All", "sparkIds": [spark]}]})
    return str(made["panelId"])


async def asked(host: Host, key: str, panel: str) -> dict[str, Any]:
    async with python_over_http(host.url, key) as client:
        return await client.call("ask_panel", {"panelId": panel, "questions": STUDY})


async def test_a_study_killed_in_its_last_question_is_shown_by_the_same_call_and_then_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    with answering() as model:

        def held(messages: list[dict[str, str]]) -> str:
            if LAST in messages[-1]["content"]:
                released.wait(60)
            return LanguageModel.reply(model, messages)

        monkeypatch.setattr(model, "reply", held)
        lease = {"INTERNAL_API_PANEL_LEASE_SECONDS": "1", "INTERNAL_API_POLL_SECONDS": "0.2"}
        host = new_host(tmp_path, LLM_BASE_URL=model.url, LLM_MODEL="test-model", **lease)
        key = await key_for(host)
        async with started(host) as server:
            async with python_over_http(host.url, key) as client:
                panel = await new_panel(client)
            call = asyncio.create_task(asked(host, key, panel))
            await until_asked(host, key, panel, "completed", "running")
            kill_all_of(server)
            await asyncio.wait([call])
        async with started(host):
            released.set()
            await until_asked(host, key, panel, "completed", "completed")
            shown = await asked(host, key, panel)
            await until_asked(host, key, panel, "completed", "completed")
            anew = await asked(host, key, panel)
            await until_asked(host, key, panel, *["completed"] * 4)

    assert call.exception() is not None
    assert (shown["status"], shown["resumed"]) == ("completed", True)
    assert (anew["status"], anew["resumed"]) == ("completed", False)
    assert shown["questionId"] != anew["questionId"]

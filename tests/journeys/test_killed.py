"""A server that is killed in the middle of a training: started again, it finishes what it began, once."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from tests.edge import within
from tests.journeys.clients import python_over_http
from tests.journeys.handbook import ANSWERED
from tests.journeys.host import Host, followed, in_database, key_for, kill_all_of, new_host, started
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

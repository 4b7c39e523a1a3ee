"""A server that is killed in the middle of a training: started again, it finishes what it began, once."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import URL, select

from app.internal_api.store.jobs import jobs as training_jobs
from tests.edge import request, within
from tests.journeys.clients import PATIENCE
from tests.journeys.handbook import ANSWERED
from tests.journeys.host import (
    Host,
    api,
    followed,
    in_database,
    key_for,
    kill_all_of,
    new_host,
    opened,
    started,
    talking,
)
from tests.journeys.library import Library, assert_everything_is_there_once, open_library
from tests.loopback import Reply, reply, serving

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
    host = new_host(tmp_path, FETCH_ALLOW_HOSTS=library.shelf.netloc, **in_database(database), **LEASE, **more)
    return Scene(host, await key_for(host), library)


async def killed_while_reading(scene: Scene) -> tuple[str, int]:
    """Begin a training and kill the server while it reads the document: the persona's id, and the progress so far."""
    async with started(scene.host) as server:
        async with talking(scene.host, scene.key) as client:
            wish = {"name": "Survivor", "mode": "link", "contextLink": scene.library.link}
            made = await client.call("create_ai_persona_or_digital_twin", wish)
            await within(scene.library.asked.wait())
            seen = await client.call("check_ai_persona_training_progress", {"sparkId": made["sparkId"]})
        assert (seen["status"], seen["stage"]) == ("running", "collect")
        kill_all_of(server)
    return made["sparkId"], seen["progress"]


async def watched(scene: Scene, spark_id: str) -> list[dict[str, Any]]:
    async with talking(scene.host, scene.key) as client:
        return await followed(client, spark_id)


async def assert_it_can_talk(scene: Scene, spark_id: str) -> None:
    async with talking(scene.host, scene.key) as client:
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
    assert len(library.shelf.heads) == 2
    await assert_everything_is_there_once(scene.host, spark_id)


async def test_a_training_that_is_killed_too_often_fails_and_can_be_tried_again(
    database: URL, tmp_path: Path, library: Library
) -> None:
    scene = await prepared(database, tmp_path, library, INTERNAL_API_TRAINING_ATTEMPTS="1")
    spark_id, progress = await killed_while_reading(scene)

    async with started(scene.host):
        broken = (await watched(scene, spark_id))[-1]
        library.released.set()
        async with api(scene.host, scene.key) as web:
            again = await web.post(f"/minds/{spark_id}/retrain")
        looks = await watched(scene, spark_id)
        await assert_it_can_talk(scene, spark_id)

    assert (broken["status"], broken["failure"]["retryable"], broken["readyToChat"]) == ("failed", True, False)
    assert broken["progress"] >= progress
    assert again.status_code == 200
    assert (looks[-1]["status"], looks[-1]["readyToChat"]) == ("completed", True)
    await assert_everything_is_there_once(scene.host, spark_id)
    async with opened(scene.host) as engine, engine.connect() as connection:
        ends = (await connection.execute(select(training_jobs.c.status).order_by(training_jobs.c.seq))).scalars().all()
    assert ends == ["failed", "completed"]


KEY = "minds_" + "a" * 48
LISTED = {"data": [], "pagination": {"total": 0, "limit": 100, "offset": 0}}


@pytest.mark.security("FI-19")
async def test_a_call_whose_process_dies_under_it_breaks_off_and_may_be_repeated(tmp_path: Path) -> None:
    hung, go_on = asyncio.Event(), asyncio.Event()
    headers, body = request("tools/call", {"name": "list_my_ai_personas", "arguments": {}}, key=KEY)

    def answer(content: dict[str, Any]) -> bytes:
        return reply("200 OK", json.dumps(content).encode(), Content_Type="application/json")

    async def slow(writer: asyncio.StreamWriter) -> None:
        hung.set()
        await go_on.wait()
        writer.write(answer(LISTED))

    replies: dict[str, Reply] = {
        "/api/v1/auth/me": answer({"id": "00000000-0000-4000-8000-0000000000ff"}),
        "/api/v1/openapi.json": answer({"paths": {"/api/v1/minds": {}}}),
        "/api/v1/minds?limit=100&offset=0": slow,
    }
    async with serving(replies) as upstream, httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        host = new_host(tmp_path, MINDSAI_API_URL=upstream.origin)
        async with started(host) as server:
            call = asyncio.create_task(web.post(host.url, headers=headers, json=body))
            await within(hung.wait())
            kill_all_of(server)
            with pytest.raises(httpx2.TransportError):
                await within(call)
        go_on.set()
        async with started(host):
            again = await web.post(host.url, headers=headers, json=body)

    assert again.status_code == 200
    assert again.json()["result"]["structuredContent"]["personas"] == []

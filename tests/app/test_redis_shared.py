"""A revocation is published: whoever remembers a credential looks at once, not only half a second later."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from app.redis_shared import CHANNEL, connected
from app.settings import Settings
from app.storage.engine import open_engine
from oauth.primitives.clock import utc_now
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier
from tests.edge import make_keys, running, settings_for, within
from tests.redis import cluster, redis_server, sentinel


@pytest.fixture(params=["single", "sentinel", "cluster"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with AsyncExitStack() as stack:
        if request.param == "cluster":
            yield await stack.enter_async_context(cluster())
            return
        server = stack.enter_context(redis_server())
        if request.param == "single":
            yield server.url
        else:
            yield f"redis+sentinel://127.0.0.1:{stack.enter_context(sentinel(server, 'one', tmp_path))}/one/0"


async def revoke_all_keys(settings: Settings) -> None:
    """As another process of the installation."""
    engine = open_engine(settings.database)
    async with connected(settings, engine):
        store = AccountStore(engine)
        for owned in await store.list_keys(None):
            await store.revoke_key(owned.key.id, utc_now())
    await engine.dispose()


async def test_every_form_of_redis_tells_of_a_revocation_that_is_stored(url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, redis_url=url)
    await make_keys(settings)
    heard: asyncio.Queue[None] = asyncio.Queue()

    async with connected(settings, open_engine(settings.database), partial(heard.put_nowait, None)):
        await within(heard.get())
        assert heard.empty()
        await revoke_all_keys(settings)
        await within(heard.get())


@pytest.mark.security("AK-04")
async def test_a_key_revoked_by_another_process_is_refused_without_waiting_for_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oauth.factory.Verifier", partial(Verifier, notice_every=3600))
    with redis_server() as server:
        settings = settings_for(tmp_path, redis_url=server.url, redis_patience_seconds=5)
        async with running(settings) as edge:
            async with asyncio.timeout(30):
                while server.command("PUBSUB", "NUMSUB", CHANNEL)[1] == 0:  # noqa: ASYNC110  another process knows
                    await asyncio.sleep(0.01)
            before = await edge.call("private", key=edge.key)
            await revoke_all_keys(settings)
            async with asyncio.timeout(30):
                while (after := await edge.call("private", key=edge.key)).status_code == 200:  # noqa: ASYNC110  it tells nobody
                    await asyncio.sleep(0.01)

    assert (before.status_code, after.status_code) == (200, 401)


async def test_without_redis_a_revocation_is_stored_and_its_message_is_heard_after_its_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("app.redis_shared.RETRY_SECONDS", 0.05)
    with redis_server() as server:
        settings, heard = settings_for(tmp_path, redis_url=server.url), asyncio.Event()
        await make_keys(settings)
        server.kill()

        async with connected(settings, open_engine(settings.database), heard.set):
            await revoke_all_keys(settings)
            assert not heard.is_set()
            server.start()
            await within(heard.wait())

    assert "a revocation was not published" in caplog.text
    assert "revocations are seen half a second later" in caplog.text

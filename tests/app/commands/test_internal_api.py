"""The embedded API alone, as the stdio server starts it."""

import asyncio
import signal
from pathlib import Path

import httpx2
import orjson
import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from app.__main__ import root
from mcp_server.caller import ANONYMOUS
from mcp_server.minds_api.credentials import EmbeddedCredentials
from tests.edge import PATIENCE, make_keys, settings_for, within
from tests.mcp_server.stdio_process import spawned

COMMAND = ("-m", "app", "internal-api")


async def announced(process: asyncio.subprocess.Process) -> dict[str, str]:
    assert process.stdout is not None
    announcement: dict[str, str] = orjson.loads(await within(process.stdout.readline()))
    return announcement


@pytest.mark.slow
async def test_it_tells_its_parent_where_and_the_secret_serves_and_ends_with_its_input(tmp_path: Path) -> None:
    key, _ = await make_keys(settings_for(tmp_path))

    async with spawned(tmp_path, *COMMAND) as process:
        announcement = await announced(process)
        url, secret = announcement["url"], announcement["secret"]
        bearers = (key, EmbeddedCredentials(SecretStr(secret)).bearer(ANONYMOUS), "unknown")
        async with httpx2.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            statuses = [
                (await client.get("/api/v1/auth/me", headers={"authorization": f"Bearer {bearer}"})).status_code
                for bearer in bearers
            ]
            gateway = await client.get("/mcp")
        out, err = await within(process.communicate(b""))

    assert url.startswith("http://127.0.0.1:")
    assert secret == (tmp_path / "internal.key").read_text()
    assert (statuses[0], statuses[1] != 401, statuses[2], gateway.status_code) == (200, True, 401, 404)
    assert (process.returncode, out) == (0, b"")
    assert key.encode() not in err
    assert secret.encode() not in err


@pytest.mark.slow
async def test_a_start_that_fails_ends_it_although_its_input_is_open(tmp_path: Path) -> None:
    (tmp_path / "gateway.sqlite3").write_bytes(b"this is no database" * 100)

    async with spawned(tmp_path, *COMMAND) as process:
        code = await within(process.wait())

    assert code == 3  # uvicorn's own: the application did not start


def test_a_wrong_setting_is_exit_code_2() -> None:
    ended = CliRunner().invoke(root(), ["internal-api"], env={"PORT": "many"})

    assert (ended.exit_code, "PORT" in ended.stderr) == (2, True)


@pytest.mark.slow
async def test_an_interrupt_ends_it_although_its_input_is_open(tmp_path: Path) -> None:
    async with spawned(tmp_path, *COMMAND) as process:
        await announced(process)
        process.send_signal(signal.SIGTERM)

        await within(process.wait())

    assert process.returncode is not None

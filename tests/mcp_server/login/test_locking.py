"""One at a time, and never forever."""

import asyncio
import sys
from pathlib import Path

import pytest

from mcp_server.login.keeping import Keeper
from mcp_server.login.words import Unreachable
from tests.edge import within
from tests.processes import environment

HOLDER = """
import asyncio, sys
from pathlib import Path
from mcp_server.login.keeping import Keeper

async def hold():
    async with Keeper(Path(sys.argv[1])).locked("site"):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


def modes(folder: Path) -> set[int]:
    """What others than the owner may do."""
    return {path.stat().st_mode & 0o077 for path in folder.iterdir()}


async def test_two_blocks_never_run_at_once(tmp_path: Path) -> None:
    inside, seen = 0, list[int]()

    async def enter() -> None:
        nonlocal inside
        async with Keeper(tmp_path / "folder").locked("site"):
            inside += 1
            seen.append(inside)
            await asyncio.sleep(0)
            inside -= 1

    await within(asyncio.gather(*(enter() for _ in range(5))))

    assert seen == [1] * 5


async def test_a_lock_that_is_held_is_not_waited_for_without_end(tmp_path: Path) -> None:
    async with Keeper(tmp_path).locked("site"):
        with pytest.raises(Unreachable):
            async with Keeper(tmp_path).locked("site", patience=0):
                pass


async def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, str(tmp_path), env=environment(), stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await within(holder.stdout.readline()) == b"held\n"
    with pytest.raises(Unreachable):
        async with Keeper(tmp_path).locked("site", patience=0):
            pass

    holder.kill()
    await within(holder.wait())

    async with Keeper(tmp_path).locked("site", patience=0):
        assert modes(tmp_path) == {0}

"""Tokens lie in the keyring where one works, and in files for one user where none does."""

import asyncio
import sys
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from structlog.testing import capture_logs

from mcp_server.login.keeping import Files, Keeper
from mcp_server.login.words import Unreachable
from tests.edge import within
from tests.mcp_server.login.file_keyring import FileKeyring
from tests.mcp_server.login.kept import SITE, tokens
from tests.processes import environment

NO_KEYRING: KeyringBackend = fail.Keyring()  # type: ignore[no-untyped-call]  # keyring types a part of itself
FORGETFUL: KeyringBackend = null.Keyring()  # type: ignore[no-untyped-call]  # the same


@pytest.fixture
def backend(tmp_path: Path) -> FileKeyring:
    return FileKeyring(tmp_path / "keyring.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "config"


def test_a_keyring_that_works_keeps_tokens_as_they_are(folder: Path, backend: FileKeyring) -> None:
    keeper = Keeper(folder, backend=backend)

    keeper.keep(tokens(), keeper.choose())

    assert Keeper(folder, backend=backend).load(SITE) == tokens()
    assert keeper.load("https://other.example") is None
    assert not folder.exists()


@pytest.mark.parametrize("backend", [NO_KEYRING, FORGETFUL])
def test_without_a_keyring_that_works_a_file_keeps_them_for_this_user_alone(
    folder: Path, backend: KeyringBackend
) -> None:
    keeper = Keeper(folder, backend=backend)

    place = keeper.choose()
    keeper.keep(tokens(), place)

    assert Keeper(folder, backend=backend).load(SITE) == tokens()
    assert str(folder) in place.title
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_successors_lie_where_their_predecessors_lay_until_a_new_sign_in_finds_a_keyring(
    folder: Path, backend: FileKeyring
) -> None:
    keeper = Keeper(folder, backend=backend)
    keeper.keep(tokens(name="1"), Files(folder))

    keeper.keep(tokens(name="2"))
    assert keeper.load(SITE) == tokens(name="2")
    assert backend.get_password("minds-gateway", SITE) is None

    keeper.keep(tokens(name="new"), keeper.choose())

    assert keeper.load(SITE) == tokens(name="new")
    assert list(folder.iterdir()) == []


def test_a_keyring_that_locks_itself_meanwhile_does_not_cost_the_sign_in(folder: Path, backend: FileKeyring) -> None:
    keeper = Keeper(folder, backend=backend)
    keeper.keep(tokens(name="1"), keeper.choose())
    backend.is_locked = True

    keeper.keep(tokens(name="2"))

    assert keeper.load(SITE) == tokens(name="2")


def test_a_refresh_token_survives_the_loss_of_its_access_token(folder: Path, backend: FileKeyring) -> None:
    keeper = Keeper(folder, backend=backend)
    keeper.keep(tokens(), keeper.choose())
    backend.delete_password("minds-gateway", f"{SITE} access")

    left = keeper.load(SITE)

    assert left is not None
    assert left.refresh_token == tokens().refresh_token
    assert left.renew_at == 0


def test_what_another_version_wrote_counts_as_nothing(folder: Path, backend: FileKeyring) -> None:
    backend.set_password("minds-gateway", SITE, '{"some": "thing"}')

    assert Keeper(folder, backend=backend).load(SITE) is None


@pytest.mark.parametrize("with_keyring", [True, False])
def test_what_is_forgotten_is_nowhere_and_a_system_without_a_keyring_is_no_fault_to_warn_of(
    folder: Path, backend: FileKeyring, with_keyring: bool
) -> None:
    keeper = Keeper(folder, backend=backend if with_keyring else NO_KEYRING)

    with capture_logs() as lines:
        assert keeper.load(SITE) is None
        keeper.keep(tokens(), keeper.choose())
        keeper.forget(SITE)
        keeper.forget(SITE)

    assert keeper.load(SITE) is None
    assert not [path for path in folder.rglob("*") if path.suffix == ".token"]
    assert [line for line in lines if line["log_level"] != "debug"] == []
    assert not with_keyring or (folder.parent / "keyring.json").read_text() == "{}"  # nor does a probe leave anything


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

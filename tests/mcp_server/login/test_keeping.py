"""Tokens lie in the keyring where one works, and in files for one user where none does."""

from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from structlog.testing import capture_logs

from mcp_server.login.keeping import Files, Keeper, Keyring
from tests.mcp_server.login.file_keyring import FileKeyring
from tests.mcp_server.login.kept import SITE, tokens

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


def test_a_system_without_a_keyring_is_no_fault_to_warn_of(folder: Path) -> None:
    keeper = Keeper(folder, backend=NO_KEYRING)

    with capture_logs() as lines:
        assert keeper.load(SITE) is None
        keeper.keep(tokens(), keeper.choose())
        keeper.forget(SITE)

    assert [line for line in lines if line["log_level"] != "debug"] == []
    assert keeper.load(SITE) is None


def test_a_probe_leaves_nothing_behind(tmp_path: Path, backend: FileKeyring) -> None:
    assert Keyring(backend).works()

    assert (tmp_path / "keyring.json").read_text() == "{}"


def test_successors_lie_where_their_predecessors_lay(folder: Path, backend: FileKeyring) -> None:
    keeper = Keeper(folder, backend=backend)
    keeper.keep(tokens(name="1"), Files(folder))

    keeper.keep(tokens(name="2"))

    assert keeper.load(SITE) == tokens(name="2")
    assert backend.get_password("minds-gateway", SITE) is None


def test_a_new_sign_in_in_the_keyring_takes_the_place_of_one_in_a_file(folder: Path, backend: FileKeyring) -> None:
    keeper = Keeper(folder, backend=backend)
    keeper.keep(tokens(name="old"), Files(folder))

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
def test_what_is_forgotten_is_nowhere(folder: Path, backend: FileKeyring, with_keyring: bool) -> None:
    keeper = Keeper(folder, backend=backend if with_keyring else NO_KEYRING)
    keeper.keep(tokens(), keeper.choose())

    keeper.forget(SITE)
    keeper.forget(SITE)

    assert keeper.load(SITE) is None
    assert not [path for path in folder.rglob("*") if path.suffix == ".token"]

"""Keeps tokens between two runs: in the system's keyring, or, where none works, in a file for this user alone."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import keyring
import orjson
import structlog
from filelock import AsyncFileLock, Timeout
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError, NoKeyringError
from platformdirs import user_config_path
from pydantic import SecretStr, ValidationError

from mcp_server.login.words import Tokens, Unreachable
from mcp_server.toolkit.secret_file import write_whole

SERVICE = "minds-gateway"

LOCK_SECONDS = 60.0
"""For the lock: its holder asks a server at most three times, and each answer has its own limit."""


def token_folder() -> Path:
    """Where the platform keeps a user's settings of this program."""
    return user_config_path(SERVICE, appauthor=False, roaming=True)


class AnotherVersion(Exception):
    """What is kept was not written by this version."""


FAULTS = (KeyringError, RuntimeError, OSError, AnotherVersion)
"""What backends raise: not all of them keep to the library's own errors."""

log = structlog.get_logger(__name__)


class Keyring:
    """The keyring of the system, or the given one. It is looked for when it is first used, which takes a moment."""

    def __init__(self, backend: KeyringBackend | None = None) -> None:
        self._given = backend

    @property
    def title(self) -> str:
        return f"the keyring of this system ({self._backend.name})"

    def get(self, name: str) -> str | None:
        return self._backend.get_password(SERVICE, name)

    def put(self, name: str, text: str) -> None:
        self._backend.set_password(SERVICE, name, text)

    def drop(self, name: str) -> None:
        """Forget it; what is not there is no fault."""
        if self.get(name) is not None:
            self._backend.delete_password(SERVICE, name)

    def works(self) -> bool:
        """Whether it gives back what it was given: some backends only say that they keep it."""
        probe = secrets.token_hex(8)
        try:
            self.put("probe", probe)
            kept = self.get("probe")
            self.drop("probe")
        except FAULTS as fault:
            log.debug("keyring_unusable", reason=type(fault).__name__)
            return False
        return kept == probe

    @property
    def _backend(self) -> KeyringBackend:
        return self._given or keyring.get_keyring()


class Files:
    """One file for each name, in `folder`, which nobody else can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def title(self) -> str:
        return f"files in {self._folder}, readable by this user alone"

    def get(self, name: str) -> str | None:
        try:
            return self._path(name).read_text("utf-8")
        except FileNotFoundError:
            return None

    def put(self, name: str, text: str) -> None:
        """Whole or not at all: a file that is half written would be a sign-in lost."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self._path(name), text)

    def drop(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{sha256(name.encode()).hexdigest()[:16]}.token"


Place = Keyring | Files
"""Keeps short texts under names. Every method may raise one of `FAULTS`."""

Trouble = Callable[[str, Place, Exception], None]
"""Told of a place that failed: what was not done, where, and why."""


def logged(event: str, place: Place, fault: Exception) -> None:
    """For a process that nobody watches: a line of its log."""
    log.warning(event, place=type(place).__name__, reason=type(fault).__name__)


class Keeper:
    """The tokens of each gateway. What it holds is read whole, and never printed."""

    def __init__(self, folder: Path, *, backend: KeyringBackend | None = None, trouble: Trouble = logged) -> None:
        self._keyring, self._files = Keyring(backend), Files(folder)
        self._folder, self._trouble = folder, trouble

    @asynccontextmanager
    async def locked(self, site: str, *, patience: float = LOCK_SECONDS) -> AsyncIterator[None]:
        """Hold the lock for `site`, which ends with its holder. Raises Unreachable: another held it for too long."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{sha256(site.encode()).hexdigest()[:16]}.lock"
        try:
            async with AsyncFileLock(path, timeout=patience, mode=0o600, is_singleton=False):
                yield
        except Timeout:
            raise Unreachable("Another process is busy with the sign-in; try again.") from None

    def load(self, site: str) -> Tokens | None:
        """What is kept. A file comes first: where there is one, no keyring was to be had when it was written."""
        for place in (self._files, self._keyring):
            try:
                if (tokens := _read(place, site)) is not None:
                    return tokens
            except NoKeyringError:
                continue  # so nothing is in it
            except FAULTS as fault:
                self._trouble("tokens_unreadable", place, fault)
        return None

    def choose(self) -> Place:
        """Where a new sign-in is to be kept."""
        return self._keyring if self._keyring.works() else self._files

    def keep(self, tokens: Tokens, place: Place | None = None) -> None:
        """Keep `tokens`; without a `place`, where their predecessors are. Raises OSError: no file takes them."""
        chosen = place or (self._files if self._files.get(tokens.site) is not None else self._keyring)
        try:
            _write(chosen, tokens)
        except FAULTS as fault:
            self._trouble("keyring_refused", chosen, fault)
            chosen = self._files
            _write(chosen, tokens)
        if not isinstance(chosen, Files):
            _forget(self._files, tokens.site)

    def forget(self, site: str) -> None:
        """Forget what is kept for `site`, wherever it is."""
        for place in (self._files, self._keyring):
            try:
                _forget(place, site)
            except NoKeyringError:
                continue
            except FAULTS as fault:
                self._trouble("tokens_not_forgotten", place, fault)


def _read(place: Place, site: str) -> Tokens | None:
    kept, access = place.get(site), place.get(_access(site))
    if kept is None:
        return None
    try:
        tokens = Tokens.model_validate_json(kept)
    except ValidationError:
        raise AnotherVersion from None
    if access is None:  # lost, or not written any more: the refresh token gets another
        return tokens.model_copy(update={"renew_at": 0.0, "expires_at": 0.0})
    return tokens.model_copy(update={"access_token": SecretStr(access)})


def _write(place: Place, tokens: Tokens) -> None:
    """In two pieces: the keyring of Windows takes 1,280 characters, and a signed token alone may have 900."""
    opened = tokens.model_dump() | {"access_token": "", "refresh_token": tokens.refresh_token.get_secret_value()}
    place.drop(_access(tokens.site))  # so that a new access token never meets the old refresh token's times
    place.put(tokens.site, orjson.dumps(opened).decode())
    place.put(_access(tokens.site), tokens.access_token.get_secret_value())


def _forget(place: Place, site: str) -> None:
    place.drop(_access(site))
    place.drop(site)


def _access(site: str) -> str:
    return f"{site} access"

"""A keyring that works: it keeps things in a file. Processes find it by `PYTHON_KEYRING_BACKEND` and `KEYRING_FILE`."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError, PasswordSetError

NAME = f"{__name__}.FileKeyring"
WINDOWS_TAKES = 1_280  # characters: CRED_MAX_CREDENTIAL_BLOB_SIZE is 2,560 bytes of UTF-16


class FileKeyring(KeyringBackend):
    """As narrow as the narrowest that users have. `is_locked` is that of a desktop whose user is away; a process is
    told of it by `KEYRING_LOCKED`.
    """

    priority = 1

    def __init__(self, file: Path | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # keyring types only a part of itself
        self._file = file or Path(os.environ["KEYRING_FILE"])
        self.is_locked = "KEYRING_LOCKED" in os.environ

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise KeyringLocked
        return self._all().get(f"{service}|{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.is_locked or len(password) > WINDOWS_TAKES:
            raise PasswordSetError
        self._write(self._all() | {f"{service}|{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        kept = self._all()
        if kept.pop(f"{service}|{username}", None) is None:
            raise PasswordDeleteError
        self._write(kept)

    def _all(self) -> dict[str, str]:
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}

    def _write(self, kept: dict[str, str]) -> None:
        whole = self._file.with_suffix(".new")  # a reader in another thread must not see half of it
        whole.write_text(json.dumps(kept))
        whole.replace(self._file)

"""A secret that all processes of one installation share: made once, readable by its owner alone."""

import contextlib
import os
import secrets
from pathlib import Path

from pydantic import SecretStr

SECRET_BYTES = 32


def shared_secret(data_dir: Path, name: str = "internal.key") -> SecretStr:
    """The present one of `shared_secrets`."""
    return shared_secrets(data_dir, name)[0]


def shared_secrets(data_dir: Path, name: str) -> list[SecretStr]:
    """The secret in `data_dir`, made now if it is not there, and those before it, the latest first.

    Two processes that start together agree: the file appears whole, by a link that only the first can make.

    Raises `ValueError`: the file is there and holds no secret; what is signed with nothing can be signed by anybody.
    """
    path = data_dir / name
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = _draft(path, _new_secret())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    lines = path.read_text().strip().splitlines()
    if not lines or min(map(len, lines)) < 2 * SECRET_BYTES:
        raise ValueError(f"{path} does not hold a secret; remove it, and a new one is made")
    return [SecretStr(line) for line in lines]


def rotate_secret(data_dir: Path, name: str) -> None:
    """Put a new secret before those of the file, for the processes that start from now on."""
    path, kept = data_dir / name, shared_secrets(data_dir, name)
    _draft(path, _new_secret(), *kept).replace(path)


def forget_previous_secrets(data_dir: Path, name: str) -> None:
    _draft(data_dir / name, shared_secret(data_dir, name)).replace(data_dir / name)


def _new_secret() -> SecretStr:
    return SecretStr(secrets.token_hex(SECRET_BYTES))


def _draft(path: Path, *kept: SecretStr) -> Path:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(secret.get_secret_value() for secret in kept))
    return draft

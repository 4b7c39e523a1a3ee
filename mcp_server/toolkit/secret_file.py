"""A secret that all processes of one installation share: made once, readable by its owner alone; and files, whole."""

import contextlib
import os
import secrets
from collections.abc import Iterator
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
        with _draft(path, secrets.token_hex(SECRET_BYTES), 0o600) as draft, contextlib.suppress(FileExistsError):
            os.link(draft, path)
    lines = path.read_text().strip().splitlines()
    if not lines or min(map(len, lines)) < 2 * SECRET_BYTES:
        raise ValueError(f"{path} does not hold a secret; remove it, and a new one is made")
    return [SecretStr(line) for line in lines]


def rotate_secret(data_dir: Path, name: str) -> None:
    """Put a new secret before those of the file, for the processes that start from now on."""
    kept = (secret.get_secret_value() for secret in shared_secrets(data_dir, name))
    write_whole(data_dir / name, "\n".join([secrets.token_hex(SECRET_BYTES), *kept]))


def forget_previous_secrets(data_dir: Path, name: str) -> None:
    write_whole(data_dir / name, shared_secret(data_dir, name).get_secret_value())


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """All of it or nothing, whoever reads meanwhile and whatever ends this process. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _draft(path, text, mode) as draft:
        draft.replace(path)


@contextlib.contextmanager
def _draft(path: Path, text: str, mode: int) -> Iterator[Path]:
    """`text` in a file beside `path`, which is gone after the block."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        # Created with its mode: one that is set afterwards leaves a moment in which others can open it.
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)

"""A secret that all processes of one installation share: made once, readable by its owner alone."""

import contextlib
import os
import secrets
from pathlib import Path

from pydantic import SecretStr

SECRET_BYTES = 32


def shared_secret(data_dir: Path, name: str = "internal.key") -> SecretStr:
    """The secret in `data_dir`, made now if it is not there.

    Two processes that start together agree: the file appears whole, by a link that only the first can make.

    Raises:
        ValueError: the file is there and holds no secret; what is signed with nothing can be signed by anybody.

    """
    path = data_dir / name
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = data_dir / f".{name}.{secrets.token_hex(8)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(SECRET_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    secret = path.read_text().strip()
    if len(secret) < 2 * SECRET_BYTES:
        raise ValueError(f"{path} does not hold a secret; remove it, and a new one is made")
    return SecretStr(secret)

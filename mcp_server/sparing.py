"""Imports that leave out what may never be asked for. Importing it takes pydantic, and nothing of the server."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel


@contextmanager
def sparing(*unused: str) -> Iterator[None]:
    """Let what is imported meanwhile leave out all that a client may never ask for, and the libraries `unused`.

    Models make their schema when they are first used (`defer_build`): the protocol's have hundreds, for two eras.
    Plugins of pydantic are not looked for, which reads all metadata; nor `rich`, which logging would take for traces.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  pydantic is told in no other way
    absent = {name: None for name in ("rich", *unused) if name not in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type]  # None is documented: such an import fails
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        for name in absent:
            del sys.modules[name]

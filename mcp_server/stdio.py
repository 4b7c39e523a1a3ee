"""The entry point of desktop clients, who wait for its first list of tools: it imports the server in less time."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name

from pydantic import BaseModel

from mcp_server.observability.gc_tuning import paused

UNUSED = ("rich", "uvicorn")
"""What libraries import where it is installed, and do without elsewhere. Nothing on stdio uses it."""


@contextmanager
def sparing() -> Iterator[None]:
    """Let what is imported meanwhile leave out all that a client may never ask for.

    Models make their schema when they are first used (`defer_build`): the protocol's have hundreds, for two eras.
    Plugins of pydantic are not looked for, which reads the metadata of all that is installed.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  pydantic is told in no other way
    absent = {name: None for name in UNUSED if name not in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type]  # None is documented: such an import fails
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        for name in absent:
            del sys.modules[name]


def main() -> int:
    """Run what the command line says."""
    with paused(), sparing():
        run = resolve_name("mcp_server.stdio_server:main")
    code: int = run()
    return code


if __name__ == "__main__":
    sys.exit(main())

"""The Node programs in `tests/clients`, run with a Node that is new enough."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent / "clients"
BIN = CLIENTS / "node_modules" / ".bin"
OLDEST = 22


class NodeMissing(RuntimeError):
    """No Node that can run the clients; the message says what to do."""


def environment() -> dict[str, str]:
    """The variables for a Node program: the Node of `tests/clients` first, whatever else the machine has."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}", "NO_COLOR": "1", "CI": "true"}


@cache
def node() -> str:
    """The path of a Node that is new enough.

    Raises:
        NodeMissing: there is none, or the packages are not installed.

    """
    if not BIN.is_dir():
        raise NodeMissing("tests/clients is not installed: run scripts/node")
    found = shutil.which("node", path=environment()["PATH"])
    if found is None:
        raise NodeMissing(f"Node.js {OLDEST} or newer is needed: install it and run scripts/node")
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    version = re.match(r"v(\d+)", told)
    if version is None or int(version[1]) < OLDEST:
        raise NodeMissing(f"Node.js {OLDEST} or newer is needed, this machine has {told.strip()}: run scripts/node")
    return found


def program(name: str) -> str:
    """The path of a program that the packages of `tests/clients` bring."""
    node()
    return str(BIN / name)

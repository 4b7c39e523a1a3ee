"""What a program that this one starts is given: the way to this code, and a place for files, but no secret."""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT: Mapping[str, str] | None = (
    None if sys.platform == "win32" else {"PYTHONPATH": str(PROJECT), "TMPDIR": gettempdir()}
)
"""Such a program reads what strangers made. Programs for Windows do not start without the environment of theirs."""

"""The environment of child processes: where this code and temporary files are, and no secret."""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT: Mapping[str, str] | None = (
    None if sys.platform == "win32" else {"PYTHONPATH": str(PROJECT), "TMPDIR": gettempdir()}
)
"""Child processes read what strangers made. On Windows they do not start without the parent's environment."""

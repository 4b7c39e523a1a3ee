"""Child processes, which read what strangers made: an environment without secrets, and limits."""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT: Mapping[str, str] | None = (
    None if sys.platform == "win32" else {"PYTHONPATH": str(PROJECT), "TMPDIR": gettempdir()}
)
"""Child processes read what strangers made. On Windows they do not start without the parent's environment."""


def limit_resources(seconds: int, memory: int) -> None:
    """Limit this process to so many seconds, for when its parent is no longer there to stop it, and bytes."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

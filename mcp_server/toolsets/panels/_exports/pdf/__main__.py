"""The program that makes a PDF: a report on standard input, its PDF on standard output. It works in its folder."""

import sys
from pathlib import Path

from mcp_server.toolsets.panels._exports.pdf.document import write_pdf

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

SECONDS = 60
"""Of work, for when the parent is no longer there to stop it."""
MEMORY = 2 * 1024**3
"""Bytes."""


def main() -> None:
    """Read, write, end."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.stdout.buffer.write(write_pdf(sys.stdin.buffer.read(), Path.cwd()))


if __name__ == "__main__":
    main()

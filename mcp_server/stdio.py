"""The entry point of desktop clients, who wait for its first list of tools: it imports the server in less time."""

import sys
from pkgutil import resolve_name

from mcp_server.observability.gc_tuning import paused
from mcp_server.sparing import sparing

UNUSED = "uvicorn"
"""What a library imports where it is installed, and does without elsewhere. Nothing on stdio uses it."""


def main() -> int:
    """Run what the command line says."""
    with paused(), sparing(UNUSED):
        run = resolve_name("mcp_server.stdio_server:main")
    code: int = run()
    return code


if __name__ == "__main__":
    sys.exit(main())

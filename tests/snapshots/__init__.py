"""What the world sees of each tool, one JSON file a tool: the list that a reviewer reads."""

import pkgutil
from pathlib import Path
from typing import Any

import orjson

from mcp_server import toolsets
from mcp_server.toolset import Tool, Toolset, discover

FOLDER = Path(__file__).resolve().parent
PRESCRIBED = frozenset({"search", "fetch"})
"""Tools whose names and members of the result ChatGPT prescribes; it looks for no others."""


def every_toolset() -> list[Toolset]:
    """All that the tree has, whatever a setting would serve."""
    return discover(sorted(module.name for module in pkgutil.iter_modules(toolsets.__path__) if module.ispkg))


def rendered(tool: Tool) -> bytes:
    """The tool as `tools/list` tells it, readable and always in the same order."""
    seen: dict[str, Any] = tool.definition.model_dump(mode="json", by_alias=True, exclude_none=True)
    return orjson.dumps(seen, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def differences(folder: Path = FOLDER) -> list[str]:
    """What is not as accepted: changed, new and vanished tools."""
    wanted = {f"{tool.name}.json": rendered(tool) for toolset in every_toolset() for tool in toolset.tools}
    accepted = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    changed = [f"changed: {name}" for name in wanted if name in accepted and accepted[name] != wanted[name]]
    new = [f"new: {name}" for name in wanted if name not in accepted]
    gone = [f"gone: {name}" for name in accepted if name not in wanted]
    return sorted(changed + new + gone)


def accept(folder: Path = FOLDER) -> list[str]:
    """Write the tools as they are now, and return what differed."""
    differed = differences(folder)
    for path in folder.glob("*.json"):
        path.unlink()
    for toolset in every_toolset():
        for tool in toolset.tools:
            (folder / f"{tool.name}.json").write_bytes(rendered(tool))
    return differed

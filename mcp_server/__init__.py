"""The MCP server: its tools, and what runs them on every transport."""

import sys
from functools import partial
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def _executed(package: ModuleType, name: str) -> Any:
    del package.__getattr__
    package.__spec__.loader.exec_module(package)  # type: ignore[union-attr]  # it was found as a package
    return getattr(package, name)


# The SDK's two packages import its client and its framework, 10 MB and a sixth of a start, for names that the modules
# of a server are never asked for. They are executed when somebody asks for one (PEP 562).
for _name in ("limits", "mcp", "mcp.server"):
    if _name not in sys.modules and (_spec := find_spec(_name)) is not None:
        sys.modules[_name] = _package = module_from_spec(_spec)
        _package.__getattr__ = partial(_executed, _package)  # type: ignore[method-assign]  # a module may have one
vars(sys.modules["mcp"])["server"] = sys.modules["mcp.server"]  # as an import does

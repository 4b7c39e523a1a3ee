"""What a tool and a toolset are, and how the toolsets of the tree are found."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel

from mcp_server.runtime import Runtime
from mcp_server.toolkit.signature import Signature, input_schema, output_schema, read_signature

PACKAGE = "mcp_server.toolsets"


class Progress(Protocol):
    """Tells the client how far a call is; silent when the client did not ask."""

    async def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None: ...


class Readable(Protocol):
    """A result that reads well without a user interface. `as_text` is complete on its own."""

    def as_text(self) -> str: ...


Context = ServerRequestContext[Runtime, Any]


@dataclass(frozen=True)
class Tool:
    """One tool: a plain async function and what surrounds it.

    Attributes:
        run: the function; its name is the tool's name, its docstring the prompt, its type hints the schema.
        annotations: all four hints, stated.
        scopes: all that the call needs.
        public: may be called without signing in.
        timeout: seconds that a call may take, all included.
        limit: units a caller and window, in the grammar of `limits`; empty, what RATE_LIMIT_TOOLS says of `*`.
        units: how many of them one call takes.
        cost: low, medium or high: what a call costs the user.
        invoking, invoked: what a host shows meanwhile and afterwards, at most 64 characters.

    """

    run: Callable[..., Awaitable[Any]]
    title: str
    annotations: types.ToolAnnotations
    scopes: frozenset[str] = frozenset()
    public: bool = False
    timeout: float = 30.0
    limit: str = ""
    units: int = 1
    cost: str = "low"
    invoking: str = ""
    invoked: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    input_schema: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return self.run.__name__

    @cached_property
    def signature(self) -> Signature:
        return read_signature(self.run)

    @cached_property
    def definition(self) -> types.Tool:
        """What the model sees; made once."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=" ".join((self.run.__doc__ or "").split()),
            input_schema=dict(self.input_schema or input_schema(self.signature)),
            output_schema=output_schema(self.signature),
            annotations=self.annotations,
            _meta=self._metadata(),
        )

    @property
    def security_schemes(self) -> list[dict[str, Any]]:
        """OpenAI's per-tool hint; enforcement is the edge's."""
        oauth = {"type": "oauth2", "scopes": sorted(self.scopes)}
        return [{"type": "noauth"}, oauth] if self.public else [oauth]

    def _metadata(self) -> dict[str, Any]:
        return {
            "securitySchemes": self.security_schemes,
            "openai/visibility": "public",
            "openai/scopes": sorted(self.scopes),
            **({"openai/toolInvocation/invoking": self.invoking} if self.invoking else {}),
            **({"openai/toolInvocation/invoked": self.invoked} if self.invoked else {}),
            "costHint": self.cost,
            "timeoutHint": round(self.timeout * 1000),
            "confirmationHint": bool(self.annotations.destructive_hint),
            **self.meta,
        }


@dataclass(frozen=True)
class Toolset:
    """A named family of tools and the service behind them.

    `extend` registers what is not a tool: resources, prompts, completions.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]
    open_service: Callable[[Runtime], AbstractAsyncContextManager[Any]] | None = None
    extend: Callable[[Server[Runtime]], None] | None = None


class UnknownToolset(ValueError):
    """The setting names a toolset that the tree does not have."""


def discover(names: Sequence[str]) -> list[Toolset]:
    """The toolsets of the tree with these names, in this order.

    Raises:
        UnknownToolset: there is no such folder.
        TypeError: a tool module breaks the rule file name = function name = tool name.

    """
    package = importlib.import_module(PACKAGE)
    known = [module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg]
    for name in names:
        if name not in known:
            message = f"TOOLSETS: there is no toolset {name!r}; known are {', '.join(sorted(known))}"
            raise UnknownToolset(message)
    return [_load(name) for name in names]


def _load(name: str) -> Toolset:
    package = importlib.import_module(f"{PACKAGE}.{name}")
    tools_package = importlib.import_module(f"{PACKAGE}.{name}.tools")
    found = sorted(module.name for module in pkgutil.iter_modules(tools_package.__path__))
    modules = [importlib.import_module(f"{tools_package.__name__}.{module}") for module in found]
    return Toolset(name, package.TITLE, tuple(_tool(module) for module in modules), package.open_service)


def _tool(module: ModuleType) -> Tool:
    tool = getattr(module, "TOOL", None)
    file_name = module.__name__.rpartition(".")[2]
    if not isinstance(tool, Tool) or tool.name != file_name:
        message = f"{module.__name__}: wants TOOL = Tool(run={file_name}, …)"
        raise TypeError(message)
    returns = tool.signature.returns
    if not (isinstance(returns, type) and issubclass(returns, BaseModel) and hasattr(returns, "as_text")):
        message = f"{module.__name__}: must return a model with as_text(), for hosts without a user interface"
        raise TypeError(message)
    return tool

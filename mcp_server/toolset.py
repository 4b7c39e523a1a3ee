"""What a tool and a toolset are, and how the toolsets of the tree are found."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel
from pydantic_settings import BaseSettings

from mcp_server.primitives import Primitive, Prompt, Resource
from mcp_server.runtime import Runtime
from mcp_server.settings import TOOLSETS, McpSettings, ToolsetSettings, known_toolsets, toolset_names
from mcp_server.toolkit.changes import Watch
from mcp_server.toolkit.signature import input_schema, output_schema

P = TypeVar("P", bound=Primitive)

MINDS, DATABASE = "minds", "database"
"""In `NEEDS`: the toolset calls the internal API, or uses `Runtime.database`."""

DOCS_SCOPE = frozenset({"docs:read"})
"""What toolsets that are public by default need where DOCS_PUBLIC is false."""

READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CHANGES = READS.model_copy(update={"read_only_hint": False, "idempotent_hint": False})
"""The hints of tools that read what is here, and of those that add to it."""


class Progress(Protocol):
    """Tells the client how far a call is; silent when the client did not ask."""

    async def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None: ...


Context = ServerRequestContext[Runtime, Any]


@dataclass(frozen=True, kw_only=True)
class Tool(Primitive):
    """One tool: a plain async function, whose docstring is the prompt, and what surrounds it.

    Attributes:
        annotations: all four hints, stated.
        limit: units a caller and window, in the grammar of `limits`; empty, what RATE_LIMIT_TOOLS says of `*`.
        units: how many of them one call takes.
        window: the name of a window that several tools with the same limit share; empty, the tool's own.
        cost: low, medium or high: what a call costs the user.
        error_codes: other words for failures that every tool has, where the toolset's document has its own. With one
            for `internal`, a bug is such a failure, too, and not an error of the protocol.
        invoking, invoked: what a host shows meanwhile and afterwards, at most 64 characters.

    """

    annotations: types.ToolAnnotations
    limit: str = ""
    units: int = 1
    window: str = ""
    cost: str = "low"
    invoking: str = field(default="", kw_only=False)
    invoked: str = field(default="", kw_only=False)
    error_codes: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    input_schema: Mapping[str, Any] | None = None

    @cached_property
    def is_read_only(self) -> bool:
        return bool(self.annotations.read_only_hint)

    @cached_property
    def definition(self) -> types.Tool:
        """What the model sees; made once."""
        meta = {
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
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=dict(self.input_schema or input_schema(self.signature)),
            output_schema=output_schema(self.signature),
            annotations=self.annotations,
            _meta=meta,
        )

    @property
    def security_schemes(self) -> list[dict[str, Any]]:
        """OpenAI's per-tool hint; enforcement is the edge's."""
        oauth = {"type": "oauth2", "scopes": sorted(self.scopes)}
        return [{"type": "noauth"}, oauth] if self.public else [oauth]


@dataclass(frozen=True)
class Toolset:
    """A named family of tools, resources and prompts, and the service behind them.

    Attributes:
        instructions: what a model should know before it uses any of them.
        settings: the class of what the toolset reads from the environment.
        needs: `minds` where the internal API is called, `database` where the gateway's database is.
        watch: sees what has changed in its resources, where they change; clients can subscribe to these.
        extend: registers what has no form of its own, as the conformance fixtures do.
        configure: the toolset as its own settings have it, where they change what clients see.

    """

    name: str
    tools: tuple[Tool, ...] = ()
    open_service: Callable[[Runtime], AbstractAsyncContextManager[Any]] | None = None
    extend: Callable[[Server[Runtime]], None] | None = None
    instructions: str = ""
    settings: type[BaseSettings] | None = None
    needs: frozenset[str] = frozenset()
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    watch: Watch | None = None
    configure: "Callable[[Toolset, Any], Toolset] | None" = None

    @property
    def scopes(self) -> frozenset[str]:
        """The union over all that it offers."""
        offered: Sequence[Primitive] = (*self.tools, *self.resources, *self.prompts)
        return frozenset(scope for primitive in offered for scope in primitive.scopes)


def discover(names: Sequence[str] = ()) -> list[Toolset]:
    """The toolsets with these names, in this order; without any, those that have a place in the default.

    A toolset is a folder of `mcp_server/toolsets`. Its `__init__` says what it is (`open_service`, and where there
    are any `INSTRUCTIONS`, `SETTINGS`, `NEEDS`, `DEFAULT`, `configure`, `watch`); each module in its packages `tools`,
    `resources` and `prompts` has one function and one TOOL, RESOURCE or PROMPT.

    Raises `ValueError`: there is no such folder; `TypeError`: a module breaks the rule file name = function name = tool
    name.
    """
    if names:
        return [_load(name) for name in known_toolsets(tuple(names))]
    packages = {name: importlib.import_module(f"{TOOLSETS}.{name}") for name in toolset_names()}
    served = [name for name, package in packages.items() if hasattr(package, "DEFAULT")]
    return [_load(name) for name in sorted(served, key=lambda name: (packages[name].DEFAULT, name))]


def read_settings(
    toolsets: Sequence[Toolset], env_file: Path | None = Path(".env"), **given: Any
) -> list[BaseSettings]:
    """What the toolsets read from the environment; `given` by the field's name comes before that.

    Raises `ValidationError`: something is wrong there.
    """
    classes = [toolset.settings for toolset in toolsets if toolset.settings is not None]
    return [
        model(_env_file=env_file, **{name: value for name, value in given.items() if name in model.model_fields})
        for model in classes
    ]


def configured_toolsets(
    settings: McpSettings, env_file: Path | None = Path(".env"), **given: Any
) -> tuple[list[Toolset], list[BaseSettings]]:
    """The toolsets as the settings have them, without those that are switched off; and what they read themselves.

    Raises `ValidationError`: as `read_settings`.
    """
    served: list[Toolset] = []
    own: list[BaseSettings] = []
    for toolset in discover(settings.toolsets):
        read = read_settings([toolset], env_file, **given)
        about = next((one for one in read if isinstance(one, ToolsetSettings)), ToolsetSettings())
        own += read
        if about.is_enabled:
            chosen = toolset if toolset.configure is None else toolset.configure(toolset, about)
            served.append(_configured(chosen, about.limit, is_public=settings.docs_public))
    return served, own


def _configured(toolset: Toolset, limit: str, *, is_public: bool) -> Toolset:
    limits: dict[str, Any] = {"limit": limit, "window": toolset.name} if limit else {}

    def as_set(primitive: P, changes: Mapping[str, Any]) -> P:
        # What makes something of the caller's names scopes, even where it is public: that stays as it is.
        if primitive.public and not primitive.scopes and not is_public:
            changes = {**changes, "public": False, "scopes": DOCS_SCOPE}
        return replace(primitive, **changes) if changes else primitive  # as it is, its function has been read

    tools = tuple(as_set(tool, limits) for tool in toolset.tools)
    return replace(toolset, tools=tools, resources=tuple(as_set(one, {}) for one in toolset.resources))


def _load(name: str) -> Toolset:
    package = importlib.import_module(f"{TOOLSETS}.{name}")
    return Toolset(
        name,
        tuple(_tool(module) for module in _modules(package, "tools")),
        getattr(package, "open_service", None),
        instructions=getattr(package, "INSTRUCTIONS", ""),
        settings=getattr(package, "SETTINGS", None),
        needs=frozenset(getattr(package, "NEEDS", ())),
        resources=tuple(_one(module, "RESOURCE", Resource) for module in _modules(package, "resources")),
        prompts=tuple(_one(module, "PROMPT", Prompt) for module in _modules(package, "prompts")),
        watch=getattr(package, "watch", None),
        configure=getattr(package, "configure", None),
    )


def _modules(package: ModuleType, folder: str) -> list[ModuleType]:
    """The modules of a package in a toolset; none where it has no such package."""
    if not any(module.name == folder and module.ispkg for module in pkgutil.iter_modules(package.__path__)):
        return []
    inner = importlib.import_module(f"{package.__name__}.{folder}")
    names = sorted(module.name for module in pkgutil.iter_modules(inner.__path__))
    return [importlib.import_module(f"{inner.__name__}.{name}") for name in names]


def _one(module: ModuleType, attribute: str, kind: type[P]) -> P:
    found = getattr(module, attribute, None)
    file_name = module.__name__.rpartition(".")[2]
    if not isinstance(found, kind) or found.name != file_name:
        raise TypeError(f"{module.__name__}: wants {attribute} = {kind.__name__}(run={file_name}, …)")
    return found


def _tool(module: ModuleType) -> Tool:
    tool = _one(module, "TOOL", Tool)
    returns = tool.signature.returns
    if not (isinstance(returns, type) and issubclass(returns, BaseModel) and hasattr(returns, "as_text")):
        raise TypeError(f"{module.__name__}: must return a model with as_text(), for hosts without a user interface")
    return tool

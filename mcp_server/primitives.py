"""What a toolset offers, each a plain async function, and who may call it; and in particular what it offers beside
tools: resources, resource templates and prompts.
"""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import mcp_types as types

from mcp_server.caller import Caller
from mcp_server.errors import AuthenticationRequired, GatewayError, PermissionDenied
from mcp_server.toolkit.signature import Signature, input_schema, read_signature

Completion = Callable[..., Awaitable[Sequence[str]]]
"""`async def complete_city(service, *, value: str)`: what an argument that begins with `value` may be."""

CONSTANT_MS = 3_600_000
"""How long hosts may keep what does not change; its address does when it changes."""

_VARIABLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, kw_only=True)
class Primitive:
    """A plain async function that clients may call, and who may.

    Attributes:
        run: its name is the primitive's, its docstring the description, its type hints the arguments.
        scopes: all that the call needs.
        public: may be called without signing in.
        timeout: seconds that a call may take, all included.
        prompt: the description, where it is not the docstring.

    """

    run: Callable[..., Awaitable[Any]] = field(kw_only=False)
    title: str = field(kw_only=False)
    scopes: frozenset[str] = frozenset()
    public: bool = False
    timeout: float = 30.0
    prompt: str = ""

    @cached_property
    def name(self) -> str:
        return self.run.__name__

    @cached_property
    def description(self) -> str:
        return " ".join((self.prompt or self.run.__doc__ or "").split())

    @cached_property
    def signature(self) -> Signature:
        return read_signature(self.run)

    @cached_property
    def is_read_only(self) -> bool:
        return True


def require(primitive: Primitive, caller: Caller) -> None:
    """Return if `caller` may use `primitive`.

    Asked at the edge, where a refusal can be an HTTP status, and again in the pipeline, so that nothing depends on
    the edge having read the request as the protocol library does.

    Raises `AuthenticationRequired`: nobody is signed in and it is not public; `PermissionDenied`: the credential lacks
    scopes; all that the call needs are named.
    """
    if caller.is_anonymous:
        if primitive.public:
            return
        raise AuthenticationRequired
    if not primitive.scopes <= caller.scopes:
        raise PermissionDenied(scopes=sorted(primitive.scopes))


@dataclass(frozen=True, kw_only=True)
class Resource(Primitive):
    """A document at `uri`, as text or bytes; with `{variables}` a template, whose function takes them as arguments.

    Attributes:
        listing: `async def list_them(service, *, cursor)`: a page of a template's resources, for `resources/list`.
        invalid_uri: raised for a URI of the same scheme that is no resource's.
        meta_of: the `_meta` that goes with its listing and its content, for a gateway at an address; see `at_site`.
        is_constant: the same for everybody, until the gateway's next version.

    """

    uri: str
    mime_type: str = "text/plain"
    completions: Mapping[str, Completion] = field(default_factory=dict)
    listing: Callable[..., Awaitable[types.ListResourcesResult]] | None = None
    invalid_uri: type[GatewayError] | None = None
    meta_of: Callable[[str], dict[str, Any]] | None = None
    is_constant: bool = False
    meta: dict[str, Any] | None = None

    def at_site(self, site_url: str) -> "Resource":
        """As the gateway at `site_url` serves it; the address is empty on stdio."""
        return self if self.meta_of is None else replace(self, meta=self.meta_of(site_url))

    @property
    def is_template(self) -> bool:
        return _VARIABLE.search(self.uri) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = _VARIABLE.split(self.uri)  # literal, variable, literal …
        return re.compile("".join(f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables of `uri`; None where it is another resource's."""
        found = self._pattern.fullmatch(uri)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}

    @cached_property
    def definition(self) -> types.Resource | types.ResourceTemplate:
        about = {"name": self.name, "title": self.title, "description": self.description, "mime_type": self.mime_type}
        if self.is_template:
            return types.ResourceTemplate(uri_template=self.uri, **about)
        return types.Resource(uri=self.uri, **about, _meta=self.meta)

    def rendered(self, uri: str, content: str | bytes) -> types.ReadResourceResult:
        about = {"uri": uri, "mime_type": self.mime_type, "_meta": self.meta}
        cached: dict[str, Any] = {"ttl_ms": CONSTANT_MS, "cache_scope": "public"} if self.is_constant else {}
        if isinstance(content, str):
            return types.ReadResourceResult(contents=[types.TextResourceContents(**about, text=content)], **cached)
        blob = base64.b64encode(content).decode()
        return types.ReadResourceResult(contents=[types.BlobResourceContents(**about, blob=blob)], **cached)


@dataclass(frozen=True, kw_only=True)
class Prompt(Primitive):
    """Messages to begin a conversation with: a text of the user's, or several messages."""

    completions: Mapping[str, Completion] = field(default_factory=dict)

    @cached_property
    def definition(self) -> types.Prompt:
        schema = input_schema(self.signature)
        required = schema.get("required", [])
        arguments = [
            types.PromptArgument(name=name, description=about.get("description"), required=name in required)
            for name, about in schema["properties"].items()
        ]
        return types.Prompt(name=self.name, title=self.title, description=self.description, arguments=arguments)

    def rendered(self, messages: str | Sequence[types.PromptMessage]) -> types.GetPromptResult:
        if isinstance(messages, str):
            content = types.TextContent(type="text", text=messages)
            messages = [types.PromptMessage(role="user", content=content)]
        return types.GetPromptResult(description=self.description, messages=list(messages))

"""`tools/call` over HTTP in both eras, straight to its handler, where nothing about the request is unusual.

The protocol library's kernel makes a connection, a session, tasks and five validations of each call, which is most of
what a call costs. Whatever is not plainly a usual call is left to it, and the answers of both ways are the same.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, Literal, cast

import mcp_types as types
import orjson
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Scope

from mcp_server.narrowing import Narrowing
from mcp_server.pipeline import wants_context
from mcp_server.protocol.envelope import Envelope
from mcp_server.runtime import Runtime
from mcp_server.toolset import Context, Tool

METHOD: Literal["tools/call"] = "tools/call"
LIST = "tools/list"
MEMBERS = frozenset({"name", "arguments", "_meta"})
BOTH = frozenset({"application/json", "text/event-stream"})
ROUTING = frozenset({b"mcp-protocol-version", b"mcp-method", b"mcp-name"})


class _Silent:
    """Stands where the session is: nobody asked for progress, and a context is not handed to these tools."""

    can_send_request = False

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell nobody."""


SILENT = cast("ServerSession", _Silent())


class DirectCalls:
    """Runs usual calls of `tools`, but for those that want the kernel: its context, or its look at `Mcp-Param`."""

    def __init__(self, server: Server[Runtime], runtime: Runtime, tools: Mapping[str, Tool]) -> None:
        self._runtime, self._server = runtime, server
        self._names = frozenset(
            name
            for name, tool in tools.items()
            if not any(wants_context(each) for each in tool.signature.provided.values())
            and b'"x-mcp-header"' not in orjson.dumps(tool.definition.input_schema)
        )
        call: CallNext = self._handle
        # What narrowing hides from a caller is no usual call, so here it would only cost time.
        for middleware in (one for one in reversed(server.middleware) if not isinstance(one, Narrowing)):
            call = partial(middleware, call_next=call)
        self._call = call

    def context(self, envelope: Envelope, version: str, accepted: frozenset[str], scope: Scope) -> Context | None:
        """The context of a usual call; None where the kernel has to look at the request."""
        params = envelope.params
        if (
            params is None
            or envelope.tool_name not in self._names
            or not (params.keys() <= MEMBERS and accepted >= BOTH)
        ):
            return None
        meta, arguments = params.get("_meta"), params.get("arguments")
        if envelope.kind != "request" or envelope.progress_token is not None or not isinstance(meta, dict | None):
            return None
        if not isinstance(arguments, dict | None) or not _agrees(
            version, METHOD, envelope.tool_name, meta or {}, scope
        ):
            return None
        if meta is not None and not _is_sound(version, orjson.dumps(meta)):
            return None
        return ServerRequestContext(
            session=SILENT,
            lifespan_context=self._runtime,
            protocol_version=version,
            method=METHOD,
            params=params,
            request_id=envelope.id,
            meta=cast("types.RequestParamsMeta | None", meta),
            request=Request(scope),
        )

    def is_plain_list(self, envelope: Envelope, version: str, accepted: frozenset[str], scope: Scope) -> bool:
        """Whether it asks for the tools and nothing else, so that the answer is the same for everybody."""
        params = envelope.params or {}
        if envelope.method != LIST or envelope.kind != "request" or envelope.progress_token is not None:
            return False
        if not (params.keys() <= {"_meta"} and accepted >= BOTH and self._runtime.tracer is None):
            return False
        meta = params.get("_meta", {})
        is_usual = isinstance(meta, dict) and _agrees(version, LIST, None, meta, scope)
        return is_usual and (not meta or _is_sound(version, orjson.dumps(meta)))

    async def result(self, ctx: Context) -> dict[str, Any]:
        """What the call comes to, as the kernel puts it on the wire."""
        return self._wire(await self._call(ctx), ctx.protocol_version)

    async def _handle(self, ctx: Context) -> HandlerResult:
        entry, params = self._server.get_request_handler(METHOD), ctx.params or {}
        assert entry is not None  # noqa: S101  the server has tools
        usual = {"name": params["name"], "arguments": params.get("arguments")}
        return await entry.handler(ctx, types.CallToolRequestParams.model_validate(usual))

    def _wire(self, result: HandlerResult, version: str) -> dict[str, Any]:
        if isinstance(result, BaseModel):
            dumped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            wire = methods.serialize_server_result(METHOD, version, dumped)
        else:  # rendered here, so it is as the protocol has it
            wire = dict(cast("Mapping[str, Any]", result))
        if version not in MODERN_PROTOCOL_VERSIONS:
            wire.pop("resultType", None)
        else:
            wire["_meta"] = {types.SERVER_INFO_META_KEY: self._server.server_info_stamp, **(wire.get("_meta") or {})}
        return wire


def _agrees(version: str, method: str, name: str | None, meta: Mapping[str, Any], scope: Scope) -> bool:
    """Whether the version in `meta` and, in the 2026 era, each routing header are there once and say the same."""
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        return types.PROTOCOL_VERSION_META_KEY not in meta
    routing = [one for one in scope["headers"] if one[0] in ROUTING]
    wanted = {b"mcp-protocol-version": version.encode(), b"mcp-method": method.encode()}
    if name is not None:
        wanted[b"mcp-name"] = name.encode()
    is_said = len(routing) == len(wanted) and dict(routing) == wanted
    return is_said and version in MODERN_PROTOCOL_VERSIONS and meta.get(types.PROTOCOL_VERSION_META_KEY) == version


@lru_cache(1_000)
def _is_sound(version: str, meta: bytes) -> bool:
    """Whether the kernel would take this `_meta`. Clients send the same one with each call."""
    try:
        methods.validate_client_request(METHOD, version, {"name": "", "_meta": orjson.loads(meta)})
    except (ValidationError, KeyError):
        return False
    return True

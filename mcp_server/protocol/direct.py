"""`tools/call` over HTTP in both eras, straight to its handler, where nothing about the request is unusual.

The protocol library's kernel makes a connection, a session, tasks and five validations of each call, which is most of
what a call costs. Whatever is not plainly a usual call is left to it, and the answers of both ways are the same.
"""

import asyncio
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, Literal, cast

import mcp_types as types
import orjson
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data
from mcp.server.session import ServerSession
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mcp_server.protocol.envelope import Envelope
from mcp_server.protocol.stateless_http import KEEP_ALIVE_SECONDS, STATUS_OF_CODE, STREAM_HEADERS, stream_event
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.toolset import Context, Tool

METHOD: Literal["tools/call"] = "tools/call"
MEMBERS = frozenset({"name", "arguments", "_meta"})
BOTH = frozenset({"application/json", "text/event-stream"})
ROUTING = frozenset({b"mcp-protocol-version", b"mcp-method", b"mcp-name"})

WATCHED_AFTER = 0.05
"""Seconds after which a call has a task beside it that keeps its stream alive, and ends it where its client has left
(2026 era). Nearly all calls end before, and cost no task.
"""


class _Silent:
    """Stands where the session is: nobody asked for progress, and a context is not handed to these tools."""

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell nobody."""


SILENT = cast("ServerSession", _Silent())


def direct_tools(tools: Mapping[str, Tool]) -> frozenset[str]:
    """The tools that need nothing of the kernel: neither its context nor its look at `Mcp-Param` headers."""
    return frozenset(
        name
        for name, tool in tools.items()
        if not any(
            getattr(each, "__origin__", each) is ServerRequestContext for each in tool.signature.provided.values()
        )
        and b'"x-mcp-header"' not in orjson.dumps(tool.definition.input_schema)
    )


class DirectCalls:
    """Answers usual calls of the tools `names`."""

    def __init__(self, server: Server[Runtime], runtime: Runtime, names: frozenset[str]) -> None:
        self._names, self._runtime, self._server = names, runtime, server
        self._running = set[asyncio.Task[Any]]()
        call: CallNext = self._handle
        for middleware in reversed(server.middleware):
            call = partial(_around, middleware, call)
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
        if not isinstance(arguments, dict | None) or not _agrees(version, envelope.tool_name, meta or {}, scope):
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

    async def answer(self, ctx: Context, receive: Receive, send: Send) -> None:
        """Run the call and write its answer. In the 2026 era a client that leaves cancels it."""
        is_modern, task = (
            ctx.protocol_version in MODERN_PROTOCOL_VERSIONS,
            cast("asyncio.Task[Any]", asyncio.current_task()),
        )
        beside = _Beside(task, receive if is_modern else None, send)
        self._running.add(task)
        try:
            message = await self._message(ctx)
        except asyncio.CancelledError:
            if not beside.has_left:
                raise
            return
        finally:
            self._running.discard(task)
            await beside.end()
        if beside.is_streaming:
            await send({"type": "http.response.body", "body": stream_event(message)})
            return
        status = 200
        if "error" in message:
            refusal, code = current_context.get().refusal, message["error"]["code"]
            statuses = ERROR_CODE_HTTP_STATUS if is_modern else STATUS_OF_CODE
            status = refusal.http_status if refusal else statuses.get(code, 200)
        body = orjson.dumps(message)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def close(self) -> None:
        """Cancel what still runs; called when serving ends."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _message(self, ctx: Context) -> dict[str, Any]:
        try:
            result = await self._call(ctx)
        except Exception as error:  # noqa: BLE001  the kernel's own mapping: it logs a bug and shows nothing of it
            data = modern_error_data(error).model_dump(mode="json", by_alias=True, exclude_none=True)
            return {"jsonrpc": "2.0", "id": ctx.request_id, "error": data}
        return {"jsonrpc": "2.0", "id": ctx.request_id, "result": self._result(result, ctx.protocol_version)}

    async def _handle(self, ctx: Context) -> HandlerResult:
        entry, params = self._server.get_request_handler(METHOD), ctx.params or {}
        assert entry is not None  # noqa: S101  the server has tools
        usual = {"name": params["name"], "arguments": params.get("arguments")}
        return await entry.handler(ctx, types.CallToolRequestParams.model_validate(usual))

    def _result(self, result: HandlerResult, version: str) -> dict[str, Any]:
        """As the kernel puts it on the wire."""
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


class _Beside:
    """What goes on beside a call that takes long. `receive` is None where a client that leaves does not end it."""

    def __init__(self, call: asyncio.Task[Any], receive: Receive | None, send: Send) -> None:
        self._call, self._receive, self._send = call, receive, send
        self._task = cast("asyncio.Task[None] | None", None)
        self._timer = asyncio.get_running_loop().call_later(WATCHED_AFTER, self._begin)
        self.is_streaming = self.has_left = False

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        leaving = None if self._receive is None else asyncio.create_task(self._left(self._receive))
        try:
            await asyncio.sleep(max(0, KEEP_ALIVE_SECONDS - WATCHED_AFTER))
            await self._send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
            self.is_streaming = True
            while True:
                await self._send({"type": "http.response.body", "body": b": keep-alive\n\n", "more_body": True})
                await asyncio.sleep(KEEP_ALIVE_SECONDS)
        finally:
            if leaving is not None:
                leaving.cancel()

    async def _left(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.has_left = True
        self._call.cancel()

    async def end(self) -> None:
        """The call has ended; what it writes now stands behind all that was written here."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


async def _around(middleware: ServerMiddleware[Any], call_next: CallNext, ctx: Context) -> HandlerResult:
    return await middleware(ctx, call_next)


def _agrees(version: str, name: str, meta: Mapping[str, Any], scope: Scope) -> bool:
    """Whether the version in `meta` and, in the 2026 era, each routing header are there once and say the same."""
    if version not in MODERN_PROTOCOL_VERSIONS:
        return types.PROTOCOL_VERSION_META_KEY not in meta
    routing = [one for one in scope["headers"] if one[0] in ROUTING]
    said = dict(routing)
    wanted = (METHOD.encode(), name.encode())
    is_said = len(routing) == len(ROUTING) and (said.get(b"mcp-method"), said.get(b"mcp-name")) == wanted
    return is_said and meta.get(types.PROTOCOL_VERSION_META_KEY) == version


@lru_cache(1_000)
def _is_sound(version: str, meta: bytes) -> bool:
    """Whether the kernel would take this `_meta`. Clients send the same one with each call."""
    try:
        methods.validate_client_request(METHOD, version, {"name": "", "_meta": orjson.loads(meta)})
    except (ValidationError, KeyError):
        return False
    return True

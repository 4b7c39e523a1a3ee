"""`/mcp`: who calls, whether within limits, and whether they may; then the protocol endpoint."""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.body import read_json, replaying
from app.http.rate_limits import ConcurrencyLimit, RequestLimits
from app.metrics.metrics import Metrics
from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError
from mcp_server.narrowing import HEADER, Narrowing
from mcp_server.primitives import require
from mcp_server.protocol.envelope import LISTEN, parse
from mcp_server.request_context import RequestContext, current_context
from mcp_server.toolset import Tool
from oauth.primitives.secrets import looks_like_key, looks_like_token

PATH = "/mcp"
NOT_ALLOWED = {"allow": "GET, POST, OPTIONS"}
MAX_SUBSCRIPTIONS = 8
"""Streams of changes that one account, or one address, has open at a process."""

SERVER_ERRORS, UNAVAILABLE = 500, 503
MAX_CREDENTIAL = 8_192  # longer than any token of ours; beyond it nothing is hashed or parsed

# Printable ASCII but for blanks, quotes and commas.
_BEARER = re.compile(rf"(?i:bearer) ([!#-+\--~]{{1,{MAX_CREDENTIAL}}})")

Authenticate = Callable[[str], Awaitable[Caller | None]]
"""The caller of a bearer credential; None if it is not good (any more). Raises `GatewayError`: that is not known."""


class McpRoute:
    """The innermost middleware. At `/mcp` health for operators on GET, the protocol on POST, nothing else; all other
    paths are `app`'s, whose router would cost a call a tenth of its time.

    A POST is authenticated before its body is read, limited when it is known what it asks for, and authorised last.
    `limits` is None where nothing is limited.
    """

    def __init__(
        self,
        app: ASGIApp,
        endpoint: ASGIApp,
        health: Callable[[Request], Awaitable[Response]],
        authenticate: Authenticate,
        tools: Mapping[str, Tool],
        max_body: int,
        limits: RequestLimits | None,
        concurrency: ConcurrencyLimit,
        metrics: Metrics,
        *,
        narrowing: Narrowing,
    ) -> None:
        self._app, self._endpoint, self._health = app, endpoint, health
        self._authenticate, self._tools, self._max_body = authenticate, tools, max_body
        self._narrowing = narrowing
        self._limits, self._concurrency, self._attempts = limits, concurrency, metrics.authentications
        self._subscriptions = ConcurrencyLimit(MAX_SUBSCRIPTIONS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        if scope["method"] != "POST":
            is_read = scope["method"] in {"GET", "HEAD"}
            response = await self._health(Request(scope, receive)) if is_read else Response(None, 405, NOT_ALLOWED)
            await response(scope, receive, send)
            return
        context = current_context.get()
        headers = context.headers
        try:
            context.caller = caller = await self.authenticate(headers)
            token = current_caller.set(caller)
            try:
                with ExitStack() as open_calls:
                    open_calls.enter_context(self._concurrency.held(context))
                    body = await read_json(headers, receive, self._max_body)
                    context.envelope = envelope = parse(body)
                    self._prepare(context, open_calls, scope["query_string"])
                    name = context.envelope.tool_name
                    if self._limits is not None:
                        await self._limits.charge(context, name, is_call=envelope.method == "tools/call")
                    tool = self._tools.get(name or "")
                    # A call that its caller may not make is refused while that can still be an HTTP status. Where the
                    # client reads challenges in results, it is left to the pipeline, which asks the same question.
                    if tool is not None and context.challenge is None:
                        require(tool, caller)
                    await self._endpoint(scope, replaying(body, receive), send)
            finally:
                current_caller.reset(token)
        except GatewayError as error:
            await self._charge_refused(context, headers, error)
            await self._read_refused(context, receive, error)
            raise

    def _prepare(self, context: RequestContext, places: ExitStack, query: bytes) -> None:
        """Another place for what stays open, and fewer tools for who asks for them."""
        if context.envelope is not None and context.envelope.method == LISTEN:
            places.close()  # it must not take a call's place as long
            places.enter_context(self._subscriptions.held(context))
        if query or HEADER in context.headers:
            self._narrowing.narrow(context, query)

    async def authenticate(self, headers: Headers) -> Caller:
        """No credential is anonymous; a bad one is refused, whatever was asked."""
        if "authorization" not in headers:
            self._attempts["anonymous", "valid"].inc()
            return ANONYMOUS
        bearer, caller = bearer_of(headers), None
        if bearer is not None:
            try:
                caller = await self._authenticate(bearer)
            except GatewayError:
                self._attempts[credential_kind(bearer), "unavailable"].inc()
                raise
            kind, outcome = (credential_kind(bearer), "invalid") if caller is None else (caller.kind, "valid")
            self._attempts[kind, outcome].inc()
        if caller is None:
            raise AuthenticationRequired("The credential is not valid, or not any more", invalid_token=True)
        return caller

    async def _read_refused(self, context: RequestContext, receive: Receive, error: GatewayError) -> None:
        """After a moment's outage, which must not end the client's session: the answer needs the request's id."""
        if error.http_status == UNAVAILABLE and context.envelope is None:
            with suppress(GatewayError), self._concurrency.held(context):
                context.envelope = parse(await read_json(context.headers, receive, self._max_body))

    async def _charge_refused(self, context: RequestContext, headers: Headers, error: GatewayError) -> None:
        """Charge what was refused before it was a call: wrong credentials, and bodies that cannot be read."""
        if self._limits is None or context.is_charged:
            return
        if error.http_status >= SERVER_ERRORS:  # ours, so nobody pays for it
            await self._limits.look(context)
        elif isinstance(error, AuthenticationRequired):
            await self._limits.charge_failure(context, bearer_of(headers))
        else:
            await self._limits.charge(context)


def bearer_of(headers: Headers) -> str | None:
    """The credential of the one `Authorization: Bearer` header (RFC 6750 section 2.1); the scheme's case is free."""
    lines = headers.getlist("authorization")
    found = _BEARER.fullmatch(lines[0]) if len(lines) == 1 else None
    return found[1] if found is not None else None


def credential_kind(bearer: str) -> str:
    """What a credential looks like, whether it is good or not."""
    if looks_like_key(bearer):
        return "api_key"
    return "oauth" if looks_like_token(bearer) else "unknown"

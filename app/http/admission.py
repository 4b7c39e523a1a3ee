"""`/mcp`: who calls, whether within limits, and whether they may; then the protocol endpoint."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.body import read_json, replaying
from app.http.rate_limits import ConcurrencyLimit, FailedAuthLimiter, rate_limit_key, settle
from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.errors import AuthenticationRequired, GatewayError
from mcp_server.limits.headers import headers as limit_headers
from mcp_server.primitives import require
from mcp_server.protocol.envelope import Envelope, parse
from mcp_server.request_context import RequestContext, request_context
from mcp_server.toolset import Tool

ALLOWED = "GET, POST, OPTIONS"
SERVER_ERRORS = 500
MAX_CREDENTIAL = 8_192
"""Longer than any token of ours; beyond it nothing is hashed or parsed."""


class Authenticator(Protocol):
    """Who a bearer credential belongs to."""

    async def caller(self, bearer: str) -> Caller | None:
        """The caller, or None if the credential is not good (any more).

        Raises:
            GatewayError: that could not be found out.

        """
        ...


class McpRoute:
    """Health for operators on GET, the protocol on POST, nothing else.

    A POST is authenticated before its body is read, limited when it is known what it asks for, and authorised last.
    `failed_auth` is None where nothing is limited.
    """

    def __init__(
        self,
        endpoint: ASGIApp,
        health: Callable[[Request], Awaitable[Response]],
        *,
        authenticator: Authenticator,
        tools: Mapping[str, Tool],
        max_body: int,
        failed_auth: FailedAuthLimiter | None,
        concurrency: ConcurrencyLimit,
    ) -> None:
        self._endpoint, self._health = endpoint, health
        self._authenticator, self._tools, self._max_body = authenticator, tools, max_body
        self._failed_auth, self._concurrency = failed_auth, concurrency
        self._all_scopes = frozenset[str]().union(*(tool.scopes for tool in tools.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["method"]:
            case "POST":
                await self._post(scope, receive, send)
            case "GET" | "HEAD":
                response = await self._health(Request(scope, receive))
                await response(scope, receive, send)
            case _:
                await Response(status_code=405, headers={"allow": ALLOWED})(scope, receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        context, headers = request_context(), Headers(scope=scope)
        try:
            context.caller = caller = await self.authenticate(headers)
            token = current_caller.set(caller)
            try:
                with self._concurrency.held(context):
                    body = await read_json(headers, receive, self._max_body)
                    context.envelope = envelope = parse(body)
                    await self.limit(context, envelope)
                    self.authorise(context, caller, envelope)
                    await self._endpoint(scope, replaying(body, receive), send)
            finally:
                current_caller.reset(token)
        except GatewayError as error:
            await self._charge_refused(context, headers, error)
            raise

    async def authenticate(self, headers: Headers) -> Caller:
        """No credential is anonymous; a bad one is refused, whatever was asked.

        The refusal names scopes, so that a client signs in anew for these: of the call where the headers say what it is
        (Mcp-Name, since 2026-07-28), and else of all tools. A client that is told none asks for those as well, which
        the resource metadata lists.
        """
        if "authorization" not in headers:
            return ANONYMOUS
        bearer = bearer_of(headers)
        caller = await self._authenticator.caller(bearer) if bearer is not None else None
        if caller is None:
            tool = self._tools.get(headers.get("mcp-name", ""))
            scopes = sorted(self._all_scopes if tool is None else tool.scopes)
            message = "The credential is not valid, or not any more"
            raise AuthenticationRequired(message, scopes=scopes, invalid_token=True)
        return caller

    async def limit(self, context: RequestContext, envelope: Envelope) -> None:
        """Charge the windows of the caller and of the tool, all or none."""
        if self._failed_auth is not None:
            key, is_call = rate_limit_key(context), envelope.method == "tools/call"
            settle(context, await self._failed_auth.limits.charge(key, envelope.tool_name, is_call=is_call))

    def authorise(self, context: RequestContext, caller: Caller, envelope: Envelope) -> None:
        """Refuse a call that its caller may not make while that can still be an HTTP status; listing is open to all.

        Where the client reads challenges in results, the refusal is left to the pipeline, which asks the same question.
        """
        tool = self._tools.get(envelope.tool_name or "")
        if tool is not None and context.challenge is None:
            require(tool, caller)

    async def _charge_refused(self, context: RequestContext, headers: Headers, error: GatewayError) -> None:
        """Charge what was refused before it was a call: wrong credentials, and bodies that cannot be read."""
        if self._failed_auth is None or context.is_charged:
            return
        limits, key = self._failed_auth.limits, rate_limit_key(context)
        if error.http_status >= SERVER_ERRORS:  # ours, so nobody pays for it
            context.limit_headers = limit_headers(await limits.look(key))
        elif isinstance(error, AuthenticationRequired):
            await self._failed_auth.charge(context, bearer_of(headers))
        else:
            settle(context, await limits.charge(key))


def bearer_of(headers: Headers) -> str | None:
    """The credential of the one `Authorization: Bearer` header (RFC 6750 section 2.1); the scheme's case is free."""
    given = headers.getlist("authorization")
    scheme, _, credential = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    plain = credential.isascii() and credential.isprintable() and not set(credential) & set(' ,"')
    if scheme.lower() != "bearer" or not credential or not plain or len(credential) > MAX_CREDENTIAL:
        return None
    return credential

"""A bearer credential becomes the caller of this request, or the request ends here."""

from collections.abc import Mapping
from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.errors import AuthenticationRequired
from mcp_server.toolset import Tool

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


class CallerMiddleware:
    """Puts the caller into `scope["caller"]`. No credential is anonymous; a bad one is refused, whatever was asked.

    That is before the body is read. The refusal names scopes, so that a client signs in anew for these: of the call
    where the headers say what it is (Mcp-Name, since 2026-07-28), and else of all tools. A client that is told none
    asks for those as well, which the resource metadata lists.
    """

    def __init__(self, app: ASGIApp, authenticator: Authenticator, tools: Mapping[str, Tool]) -> None:
        self.app, self.authenticator, self.tools = app, authenticator, tools
        self.scopes = frozenset[str]().union(*(tool.scopes for tool in tools.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(Headers(scope=scope))
        scope["caller"] = caller
        token = current_caller.set(caller)
        try:
            await self.app(scope, receive, send)
        finally:
            current_caller.reset(token)

    async def _caller(self, headers: Headers) -> Caller:
        given = headers.getlist("authorization")
        if not given:
            return ANONYMOUS
        caller = None
        if len(given) == 1 and (bearer := bearer_of(given[0])) is not None:
            caller = await self.authenticator.caller(bearer)
        if caller is None:
            tool = self.tools.get(headers.get("mcp-name", ""))
            scopes = sorted(self.scopes if tool is None else tool.scopes)
            message = "The credential is not valid, or not any more"
            raise AuthenticationRequired(message, scopes=scopes, invalid_token=True)
        return caller


def bearer_of(header: str) -> str | None:
    """The credential of an `Authorization: Bearer` header (RFC 6750 section 2.1); the scheme's case does not matter."""
    scheme, _, credential = header.partition(" ")
    plain = credential.isascii() and credential.isprintable() and not set(credential) & set(' ,"')
    if scheme.lower() != "bearer" or not credential or not plain or len(credential) > MAX_CREDENTIAL:
        return None
    return credential

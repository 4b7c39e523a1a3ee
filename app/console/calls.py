"""Tools, called for a person who is signed in on the pages: the same tools, limits and audit as for clients."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_PROTOCOL_VERSION
from pydantic import BaseModel, SecretStr

from app.http.rate_limits import ConcurrencyLimit, RequestLimits
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import GatewayError
from mcp_server.protocol.direct import METHOD, SILENT
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.upstream.deadline import BUDGET

SHARED_LINK = "shared-link"
"""As whom the audit log names those who look at a shared result: the account is its owner's."""

CLIENT_ID = "web"
"""Whom the audit log and the account's activity name: these pages, and no app."""


class CallRefused(Exception):
    """A tool did not do what was asked. The sentence says what to do, and may be shown.

    Attributes:
        code: the stable word of the tool or of the gateway, such as `not_found` or `RATE_LIMIT_EXCEEDED`.
        details: what else the failure tells, such as the names that are near.

    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.code, self.message, self.details = code, message, details


LinkedKey = Callable[[str], Awaitable[SecretStr | None]]


@dataclass(eq=False)
class ToolCalls:
    """Calls tools in process. `limits` is None where nothing is limited; `account_url` is that of a real API, for which
    `linked_key` is the one that an account has linked.
    """

    server: Server[Runtime]
    runtime: Runtime
    limits: RequestLimits | None
    concurrency: ConcurrencyLimit
    scopes: frozenset[str]
    account_url: str = ""
    linked_key: LinkedKey | None = None

    async def call(
        self,
        user_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        scopes: frozenset[str] | None = None,
        client_id: str = CLIENT_ID,
        charged: bool = True,
        payer: Literal["account", "address"] = "account",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """The whole result, as a client gets it. `scopes` are all that there are, if none are given.

        A look that a stream takes by itself is not `charged`: streams are bounded. What is done with the rights of
        somebody else is paid for by the `address` that asks. `patience`: seconds that are waited.

        Raises `CallRefused`: a limit is reached, or the internal API gave no answer.
        """
        allowed = self.scopes if scopes is None else scopes
        key = None if self.linked_key is None else await self.linked_key(user_id)
        caller = Caller("oauth", user_id, allowed, client_id, key, self.account_url)
        context = current_context.get()
        token = current_caller.set(caller)
        try:
            if self.limits is not None and payer == "address":
                await self.limits.charge(context)
            context.caller = caller
            with self.concurrency.held(context):
                if self.limits is not None and charged and payer == "account":
                    await self.limits.charge(context, tool, is_call=True)
                found = await self._result(tool, arguments, patience)
        except GatewayError as error:
            raise CallRefused(error.name, error.message, error.data) from None
        except MCPError as error:
            context.refusal = None  # it is told on the page, whose status is the page's own
            details = error.error.data if isinstance(error.error.data, dict) else {}
            raise CallRefused(str(details.get("code", "error")), error.error.message, details) from None
        finally:
            current_caller.reset(token)
        wire: dict[str, Any] = found.model_dump(mode="json", by_alias=True) if isinstance(found, BaseModel) else found
        return wire

    async def _result(self, tool: str, arguments: Mapping[str, Any], patience: float | None) -> Any:
        entry = self.server.get_request_handler(METHOD)
        assert entry is not None  # noqa: S101  the server has tools
        ctx: ServerRequestContext[Runtime, Any] = ServerRequestContext(
            session=SILENT,
            lifespan_context=self.runtime,
            protocol_version=LATEST_PROTOCOL_VERSION,
            method=METHOD,
            meta=None if patience is None else cast("types.RequestParamsMeta", {BUDGET: patience * 1_000}),
        )
        # A tool takes no argument that is None or that nobody has filled in.
        given = {name: value for name, value in arguments.items() if value not in (None, "", [])}
        return await entry.handler(ctx, types.CallToolRequestParams(name=tool, arguments=given))


def content_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The structured content. Raises `CallRefused`: the tool failed in a way that can be mended."""
    content: dict[str, Any] = result.get("structuredContent") or {}
    if result.get("isError"):
        error = content.get("error", {})
        raise CallRefused(error.get("code", "error"), error.get("message", ""), error)
    return content

"""Who is told that a resource has changed: in the 2026 era by `subscriptions/listen`; in those before it where a client
has a connection of its own, of which a server on stdio is the one end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError

from mcp_server.caller import Caller, current_caller
from mcp_server.errors import MODERN_ERA_BEGINS, GatewayError, ServiceUnavailable
from mcp_server.observability.telemetry import no_op
from mcp_server.primitives import Resource, require
from mcp_server.request_context import current_context
from mcp_server.runtime import Runtime
from mcp_server.toolkit.changes import Changed, Changes
from mcp_server.toolset import Context, Toolset

MOST_URIS = 100  # in one subscription
LONGEST_URI = 2_048  # characters

Handler = Callable[[Context, Any], Awaitable[Any]]


class ChangingServer(Server[Runtime]):
    """The SDK's, but that its capabilities claim what is true: of what it has, only resources ever change."""

    def get_capabilities(self, *args: Any, **more: Any) -> types.ServerCapabilities:
        capabilities = super().get_capabilities(*args, **more)
        for fixed in (capabilities.tools, capabilities.prompts):
            if fixed is not None:
                fixed.list_changed = False
        if (resources := capabilities.resources) is not None:
            resources.list_changed = resources.subscribe
        return capabilities


def serve_subscriptions(
    server: Server[Runtime], changes: Changes, toolsets: Sequence[Toolset], *, is_connection: bool
) -> None:
    """Let clients subscribe, where anything changes. The handlers of resources are registered before.

    With `is_connection` the server has one client, which may be told of things unasked.
    """
    resources = [resource for toolset in toolsets if toolset.watch is not None for resource in toolset.resources]
    listed = server.get_request_handler("resources/list")
    if not resources or listed is None:
        return
    subscriptions = _Subscriptions(changes, resources)
    listen, subscribe = (partial(_answered, each) for each in (subscriptions.listen, subscriptions.subscribe))
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listen)
    if is_connection:
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, subscriptions.unsubscribe)
        server.add_request_handler("resources/list", listed.params_type, partial(subscriptions.listing, listed.handler))


class _Subscriptions:
    """The subscriptions of the clients of one server, whose `resources` change."""

    def __init__(self, changes: Changes, resources: Sequence[Resource]) -> None:
        self._changes, self._resources = changes, resources
        self._session: ServerSession | None = None
        self._uris: set[str] = set()
        self._connecting = asyncio.Lock()

    async def listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """A stream of changes. What the caller may not read, and what never changes, is not acknowledged."""
        wanted, caller = params.notifications, current_caller.get()
        asked = wanted.resource_subscriptions or []
        _check(asked)
        granted = [uri for uri in asked if all(_may(caller, one) for one in self._at(uri))]
        uris = frozenset(granted)
        hears_lists = bool(wanted.resources_list_changed) and any(_may(caller, one) for one in self._resources)
        honoured = types.SubscriptionFilter(resources_list_changed=hears_lists, resource_subscriptions=granted)
        bus = InMemorySubscriptionBus()
        stream = ListenHandler(bus)

        async def tell(changed: Changed) -> None:
            is_lists, mine = hears_lists and changed.is_list_changed, changed.uris & uris
            if (is_lists or mine) and await _has_ended(caller):
                stream.close()
            elif is_lists or mine:
                for event in ([ResourcesListChanged()] if is_lists else []) + [ResourceUpdated(uri) for uri in mine]:
                    await bus.publish(event)

        stop = await self._changes.tell(tell, stream.close)
        try:
            return await stream(ctx, params.model_copy(update={"notifications": honoured}))
        finally:
            stop()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        _check(self._uris | {params.uri})
        for resource in self._at(params.uri):
            require(resource, current_caller.get())
        await self._connect(ctx)
        self._uris.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, _ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._uris.discard(params.uri)
        return types.EmptyResult()

    async def listing(self, handler: Handler, ctx: Context, params: Any) -> Any:
        """The list. Who has it, and can be told, is told from now on that there is another."""
        if ctx.protocol_version < MODERN_ERA_BEGINS and any(_may(current_caller.get(), one) for one in self._resources):
            with suppress(ServiceUnavailable):  # the list is there all the same
                await self._connect(ctx)
        return await handler(ctx, params)

    async def _connect(self, ctx: Context) -> None:
        async with self._connecting:
            if self._session is None:
                await self._changes.tell(self._tell_connection, no_op)
                self._session = ctx.session

    async def _tell_connection(self, changed: Changed) -> None:
        assert self._session is not None  # noqa: S101  set before anything can have changed
        if changed.is_list_changed:
            await self._session.send_resource_list_changed()
        for uri in changed.uris & self._uris:
            await self._session.send_resource_updated(uri)

    def _at(self, uri: str) -> list[Resource]:
        return [resource for resource in self._resources if resource.match(uri) is not None]


async def _answered(handler: Handler, ctx: Context, params: Any) -> Any:
    """What `handler` answers; a refusal as an error of the client's era."""
    try:
        return await handler(ctx, params)
    except GatewayError as refusal:
        if (request := current_context.get(None)) is not None:
            request.refusal = refusal  # the transport learns the status
        raise MCPError(refusal.code_for(ctx.protocol_version), refusal.message, refusal.data) from None


def _check(uris: Collection[str]) -> None:
    """Raises `MCPError`: they are too many, or too long. There need be no resource at them yet."""
    if len(uris) > MOST_URIS or any(len(uri) > LONGEST_URI for uri in uris):
        message = f"A subscription has at most {MOST_URIS} URIs of {LONGEST_URI} characters"
        raise MCPError(types.INVALID_PARAMS, message, {"code": "INVALID_PARAMS"})


def _may(caller: Caller, resource: Resource) -> bool:
    try:
        require(resource, caller)
    except GatewayError:
        return False
    return True


async def _has_ended(caller: Caller) -> bool:
    """Whether the credential that a stream began with is none any more; or whether that is not known."""
    try:
        return caller.again is not None and await caller.again() is None
    except GatewayError:
        return True

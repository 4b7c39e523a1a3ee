"""Who may ask the endpoints of machines now: counted before a request is served, so that nothing is used up.

A refused request has cost its sender nothing: its code or refresh token is as good as before (RFC 6749 section 5.2
says nothing of limits; a client that is told to wait tries the same request again).

All users of a hosted client come from its few addresses. So where an address has asked enough, a request that shows a
code or a token of this server is counted for the account that it belongs to: strangers hold up nobody who is signed in.
Strangers make us look, too. So few look-ups of one address go on at once, and the look is part of the time in which
a client must have its answer.
"""

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oauth.endpoints.device import START_PATH
from oauth.endpoints.http import client_address, form, in_time, refusal
from oauth.endpoints.token import INTROSPECT_PATH, REGISTER_PATH, REVOKE_PATH
from oauth.errors import ProtocolError, StoreUnavailable, TemporarilyUnavailable, TooManyRequests
from oauth.flows.client_assertions import TOKEN_PATH
from oauth.primitives.address_limit import network_key
from oauth.primitives.parameters import Parameters

ENDPOINTS = {
    REGISTER_PATH: "register",
    TOKEN_PATH: "token",
    REVOKE_PATH: "revoke",
    INTROSPECT_PATH: "introspect",
    START_PATH: "device",
}
"""By path, the word for each endpoint that a gate may limit."""
WITH_CREDENTIALS = frozenset({"token", "revoke"})
"""Where a form holds what a person has been given."""
AT_ONCE = 8
"""Look-ups of one address that go on at a process; who comes while there are as many is nobody."""


class Gate(Protocol):
    async def admit(self, endpoint: str, place: str, holder: str | None = None) -> Mapping[str, str]:
        """Count a request from `place` to `endpoint`, one of `ENDPOINTS`; headers that tell how it stands now.

        It is counted for `holder` instead, where there is one.

        Raises `TooManyRequests`: there were enough; `TemporarilyUnavailable`: it cannot be counted now; what cannot be
        counted is not let in.
        """
        ...


FindOwner = Callable[[Parameters], Awaitable[str | None]]
"""Whose code or token stands in the form of a request, if anybody's. It uses nothing up."""


def gated(routes: Iterable[Route], gate: Gate | None, find_owner: FindOwner) -> list[Route]:
    """`routes`, of which those of `ENDPOINTS` ask `gate` first."""
    if gate is None:  # something else counts
        return list(routes)
    lookups = Counter[str]()
    return [
        Route(route.path, _Gated(route.app, gate, word, find_owner, lookups), methods=sorted(route.methods or ()))
        if (word := ENDPOINTS.get(route.path)) is not None
        else route
        for route in routes
    ]


class _Gated:
    def __init__(self, app: ASGIApp, gate: Gate, word: str, find_owner: FindOwner, lookups: Counter[str]) -> None:
        self._app, self._gate, self._word = app, gate, word
        self._find_owner, self._lookups = find_owner, lookups

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _TwiceRead(receive)
        try:
            headers = await self._admit(Request(scope, body.first))
        except ProtocolError as error:
            await refusal(error)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, body.again, send_with_headers)

    async def _admit(self, request: Request) -> Mapping[str, str]:
        network = network_key(client_address(request))
        try:
            return await self._gate.admit(self._word, network)
        except TooManyRequests:
            try:
                owner = await in_time(self._look_up(request, network), request)
            except StoreUnavailable:
                raise TemporarilyUnavailable("The server cannot answer at the moment; try again.") from None
            if owner is None:
                raise
            return await self._gate.admit(self._word, network, owner)

    async def _look_up(self, request: Request, network: str) -> str | None:
        """Who stands in the form; None for nobody, and where too many of this network are asked about."""
        if self._word not in WITH_CREDENTIALS:
            return None
        try:
            parameters = await form(request)  # before it is counted: who sends slowly would keep the others out
        except ProtocolError:  # what is wrong with it is said to who may ask
            return None
        if self._lookups[network] >= AT_ONCE:
            return None
        self._lookups[network] += 1
        try:
            return await self._find_owner(parameters)
        finally:
            self._lookups[network] -= 1
            if not self._lookups[network]:  # addresses come and go for as long as the process runs
                del self._lookups[network]


class _TwiceRead:
    """A body that has perhaps been looked at, for who reads it next."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._seen = receive, deque[Message]()

    async def first(self) -> Message:
        self._seen.append(await self._receive())
        return self._seen[-1]

    async def again(self) -> Message:
        return self._seen.popleft() if self._seen else await self._receive()

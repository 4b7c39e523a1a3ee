"""Who may ask the endpoints of machines now: counted before anything of a request is read, so that nothing is used up.

A refused request has cost its sender nothing: its code or refresh token is as good as before (RFC 6749 section 5.2
says nothing of limits; a client that is told to wait tries the same request again).
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oauth.endpoints.device import START_PATH
from oauth.endpoints.http import client_address, refusal
from oauth.endpoints.introspect import PATH as INTROSPECT_PATH
from oauth.endpoints.register import PATH as REGISTER_PATH
from oauth.endpoints.revoke import PATH as REVOKE_PATH
from oauth.endpoints.token import PATH as TOKEN_PATH
from oauth.errors import ProtocolError
from oauth.places import place_of

ENDPOINTS = {
    REGISTER_PATH: "register",
    TOKEN_PATH: "token",
    REVOKE_PATH: "revoke",
    INTROSPECT_PATH: "introspect",
    START_PATH: "device",
}
"""By path, the word for each endpoint that a gate may limit."""


class Gate(Protocol):
    """Counts requests."""

    async def admit(self, endpoint: str, place: str) -> Mapping[str, str]:
        """Count a request from `place` to `endpoint`, one of `ENDPOINTS`; headers that tell how it stands now.

        Raises:
            TooManyRequests: there were enough.
            TemporarilyUnavailable: it cannot be counted now; what cannot be counted is not let in.

        """
        ...


class OpenGate:
    """For a server whose requests are counted by something else."""

    async def admit(self, endpoint: str, place: str) -> Mapping[str, str]:  # noqa: ARG002 - a Gate counts by them
        """Let everybody in."""
        return {}


def gated(routes: Iterable[Route], gate: Gate) -> list[Route]:
    """`routes`, of which those of `ENDPOINTS` ask `gate` first."""
    return [
        Route(route.path, _Gated(route.app, gate, word), methods=sorted(route.methods or ()))
        if (word := ENDPOINTS.get(route.path)) is not None
        else route
        for route in routes
    ]


class _Gated:
    def __init__(self, app: ASGIApp, gate: Gate, word: str) -> None:
        self._app, self._gate, self._word = app, gate, word

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            figures = await self._gate.admit(self._word, place_of(client_address(Request(scope))))
        except ProtocolError as error:
            await refusal(error)(scope, receive, send)
            return

        async def send_with_figures(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(figures)
            await send(message)

        await self._app(scope, receive, send_with_figures)

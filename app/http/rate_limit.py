"""Charges each POST of `/mcp` to who sent it, and writes how its windows stand on the answer."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.caller import bearer_of
from mcp_server.errors import AuthenticationRequired, GatewayError
from mcp_server.limits.decisions import Decision, Rule
from mcp_server.limits.headers import EXPOSED, RawHeaders, exceeded, headers
from mcp_server.limits.limits import Limits, RateLimitKey
from oauth.primitives.client_network_key import network_key

GUESSES = 10
"""Times the limit of one address: wrong credentials that all addresses together may present."""
EVERYONE = "everyone"
SERVER_ERRORS = 500
FIGURES = frozenset(name.lower().encode() for name in EXPOSED)

IsOurs = Callable[[str], Awaitable[bool]]
"""Whether this gateway has signed a token, however long ago. Guesses are not."""


@dataclass(frozen=True, slots=True)
class LimitHeadersMiddleware:
    """Writes the figures of `scope["charge"]` on the answer, whatever it is; of another limit, where that refused."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_figures(message: Message) -> None:
            if message["type"] == "http.response.start":
                charge = scope.get("charge")
                if figures := scope.get("figures") or (None if charge is None else headers(charge)):
                    message["headers"] = _with_figures(message.get("headers", ()), figures)
            await send(message)

        await self.app(scope, receive, send_with_figures)


class RateLimitMiddleware:
    """Stands where caller and request are known: one check of all windows, or 429."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        envelope = scope["rpc"]
        is_call = envelope.method == "tools/call"
        settle(scope, await self._limits.charge(rate_limit_key(scope), envelope.tool_name, is_call=is_call))
        await self.app(scope, receive, send)


class Guesses:
    """Charges a wrong credential to its address, and to all addresses together.

    A right one never looks at these windows, so that nobody is locked out by a flood of guesses. Neither is who
    presents a token of ours that has expired: its 401 is what makes the client sign in anew.
    """

    def __init__(self, limits: Limits, is_ours: IsOurs) -> None:
        self.limits, self._is_ours = limits, is_ours
        per_address = limits.rules.anonymous
        self._rule = Rule("credentials", per_address.amount * GUESSES, per_address.seconds)

    async def charge(self, scope: Scope) -> None:
        """Charge the request of `scope`, whose credential is wrong.

        Raises:
            RateLimitExceeded: there were enough of them.

        """
        charge = await self.limits.charge(rate_limit_key(scope))
        # What an address may not do costs nobody else anything: it takes ten that stay within theirs.
        tightest = await self.limits.limiter.hit(EVERYONE, (self._rule,)) if charge.allowed else charge
        if not tightest.allowed and await self._is_ours(_bearer(scope)):
            scope["charge"] = charge
            return
        settle(scope, charge if tightest.allowed else tightest)


class RefusedMiddleware:
    """Charges what is refused before it was a call: wrong credentials, and bodies that cannot be read."""

    def __init__(self, app: ASGIApp, guesses: Guesses) -> None:
        self.app, self._guesses, self._limits = app, guesses, guesses.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        except GatewayError as error:
            if "charge" not in scope:
                await self._charge(scope, error)
            raise

    async def _charge(self, scope: Scope, error: GatewayError) -> None:
        if error.http_status >= SERVER_ERRORS:  # ours, so nobody pays for it
            scope["charge"] = await self._limits.look(rate_limit_key(scope))
            return
        if isinstance(error, AuthenticationRequired):
            await self._guesses.charge(scope)
            return
        settle(scope, await self._limits.charge(rate_limit_key(scope)))


def rate_limit_key(scope: Scope) -> RateLimitKey:
    """Whose windows the request of `scope` is charged to."""
    caller = scope.get("caller")
    if caller is not None and caller.owner is not None:
        return RateLimitKey(caller.owner, signed_in=True)
    client = scope.get("client")
    return RateLimitKey(f"address:{network_key(client[0])}" if client else "address:unknown", signed_in=False)


def settle(scope: Scope, charge: Decision) -> None:
    """Have the figures of `charge` written on the answer. Raises RateLimitExceeded where it was not let in."""
    scope["charge"] = charge
    if not charge.allowed:
        scope.pop("figures", None)
        raise exceeded(charge)


def _with_figures(raw: Iterable[tuple[bytes, bytes]], figures: RawHeaders) -> RawHeaders:
    """To look each of the five up among them, as `MutableHeaders` does, costs a fifth of the whole limit."""
    return [header for header in raw if header[0] not in FIGURES] + figures


def _bearer(scope: Scope) -> str:
    return bearer_of(Headers(scope=scope).get("authorization", "")) or ""

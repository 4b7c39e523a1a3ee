"""Rate limits at the edge: which windows a request is charged to, wrong credentials, and calls at the same time."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from mcp_server.limits.decisions import Decision, Rule
from mcp_server.limits.headers import concurrency_exceeded, exceeded, headers
from mcp_server.limits.rules import Limits, RateLimitKey
from mcp_server.request_context import RequestContext
from oauth.primitives.address_limit import network_key

FAILURES = 10
"""Times the limit of one address: wrong credentials that all addresses together may present."""
EVERYONE = "everyone"
RETRY_AFTER = 1  # seconds. One of the calls that are open may end at any moment.

IsOurs = Callable[[str], Awaitable[bool]]
"""Whether this gateway has signed a token, however long ago."""


def rate_limit_key(context: RequestContext) -> RateLimitKey:
    """Whose windows the request is charged to: the account's, else those of the address."""
    owner = None if context.caller is None else context.caller.owner
    if owner is not None:
        return RateLimitKey(owner, signed_in=True)
    return RateLimitKey(f"address:{network_key(context.address) if context.address else 'unknown'}", signed_in=False)


class RequestLimits:
    """Charges requests, and has the figures of their windows written on the answer.

    A wrong credential is charged to its address, and to all addresses together. A right one never looks at these
    windows, so that nobody is locked out by a flood of wrong ones. Neither is who presents a token of ours that has
    expired: its 401 is what makes the client sign in anew.
    """

    def __init__(self, limits: Limits, is_ours: IsOurs) -> None:
        self._limits, self._is_ours = limits, is_ours
        per_address = limits.rules.anonymous
        self._rule = Rule("credentials", per_address.amount * FAILURES, per_address.seconds)

    async def charge(self, context: RequestContext, tool: str | None = None, *, is_call: bool = False) -> None:
        """Charge the windows of the caller and of the tool, all or none.

        Raises `RateLimitExceeded`: it was not let in.
        """
        key = rate_limit_key(context)
        rules, cost = self._limits.rules.of(signed_in=key.signed_in, tool=tool, is_call=is_call)
        charge = await self._limits.hit(key.identity, rules, cost)
        context.is_charged = True
        if not charge.allowed:
            _refuse(context, charge)
        if context.limit_headers is None:  # where another limit has refused the request already, its headers stay
            context.limit_headers = headers(charge)

    async def look(self, context: RequestContext) -> None:
        """Tell how the window stands, and charge nothing."""
        key = rate_limit_key(context)
        rules, _ = self._limits.rules.of(signed_in=key.signed_in)
        context.limit_headers = headers(await self._limits.hit(key.identity, rules, 0))

    async def charge_failure(self, context: RequestContext, bearer: str | None) -> None:
        """Charge a request whose credential is wrong. Raises `RateLimitExceeded`: there were enough of them."""
        key = rate_limit_key(context)
        charge = await self._limits.hit(key.identity, *self._limits.rules.of(signed_in=key.signed_in))
        # What an address may not do costs nobody else anything: it takes ten that stay within theirs.
        tightest = await self._limits.hit(EVERYONE, (self._rule,), 1) if charge.allowed else charge
        context.is_charged = True
        if not tightest.allowed and not await self._is_ours(bearer or ""):
            _refuse(context, tightest)
        if context.limit_headers is None or not tightest.allowed:
            context.limit_headers = headers(charge)


def _refuse(context: RequestContext, charge: Decision) -> None:
    context.limit_headers = headers(charge)
    raise exceeded(charge)


class ConcurrencyLimit:
    """How many calls one caller may have open: a stream costs nothing to open and holds a connection for long.

    Counted in this process alone. `/mcp` and the embedded API have one count between them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: Counter[str] = Counter()

    @contextmanager
    def held(self, context: RequestContext) -> Iterator[None]:
        """Count the request until the block is left.

        Raises `RateLimitExceeded`: as many are open. The headers on the answer are of this limit, not of any window.
        """
        key = rate_limit_key(context).identity
        if self._open[key] >= self.limit:
            refusal, context.limit_headers = concurrency_exceeded(self.limit, RETRY_AFTER)
            raise refusal
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

"""Rate limits at the edge: which windows a request is charged to, wrong credentials, and calls at the same time."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.decisions import Decision, Rule
from mcp_server.limits.headers import at_once_figures, at_once_headers, exceeded, headers
from mcp_server.limits.limits import Limits, RateLimitKey
from mcp_server.request_context import RequestContext
from oauth.primitives.address_limit import network_key

FAILURES = 10
"""Times the limit of one address: wrong credentials that all addresses together may present."""
EVERYONE = "everyone"
RETRY_AFTER = 1
"""Seconds. One of the calls that are open may end at any moment."""

IsOurs = Callable[[str], Awaitable[bool]]
"""Whether this gateway has signed a token, however long ago."""


def rate_limit_key(context: RequestContext) -> RateLimitKey:
    """Whose windows the request is charged to: the account's, else those of the address."""
    owner = None if context.caller is None else context.caller.owner
    if owner is not None:
        return RateLimitKey(owner, signed_in=True)
    return RateLimitKey(f"address:{network_key(context.address) if context.address else 'unknown'}", signed_in=False)


def settle(context: RequestContext, charge: Decision) -> None:
    """Have `charge` written on the answer.

    Where another limit has refused the request already, its headers stay.

    Raises:
        RateLimitExceeded: it was not let in.

    """
    context.is_charged = True
    if context.limit_headers is None or not charge.allowed:
        context.limit_headers = headers(charge)
    if not charge.allowed:
        raise exceeded(charge)


class FailedAuthLimiter:
    """Charges a wrong credential to its address, and to all addresses together.

    A right one never looks at these windows, so that nobody is locked out by a flood of wrong ones. Neither is who
    presents a token of ours that has expired: its 401 is what makes the client sign in anew.
    """

    def __init__(self, limits: Limits, is_ours: IsOurs) -> None:
        self.limits, self._is_ours = limits, is_ours
        per_address = limits.rules.anonymous
        self._rule = Rule("credentials", per_address.amount * FAILURES, per_address.seconds)

    async def charge(self, context: RequestContext, bearer: str | None) -> None:
        """Charge a request whose credential is wrong.

        Raises:
            RateLimitExceeded: there were enough of them.

        """
        charge = await self.limits.charge(rate_limit_key(context))
        # What an address may not do costs nobody else anything: it takes ten that stay within theirs.
        tightest = await self.limits.limiter.hit(EVERYONE, (self._rule,)) if charge.allowed else charge
        if not tightest.allowed and await self._is_ours(bearer or ""):
            context.limit_headers, context.is_charged = headers(charge), True
            return
        settle(context, charge if tightest.allowed else tightest)


class ConcurrencyLimit:
    """How many calls one caller may have open: a stream costs nothing to open and holds a connection for long.

    Counted in this process alone. `/mcp` and the embedded API have one count between them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def held(self, context: RequestContext) -> Iterator[None]:
        """Count the request until the block is left.

        Raises:
            RateLimitExceeded: as many are open. The headers on the answer are of this limit, not of any window.

        """
        key = rate_limit_key(context).identity
        if self._open[key] >= self.limit:
            context.limit_headers = at_once_headers(self.limit)
            raise RateLimitExceeded(RETRY_AFTER, rateLimit=at_once_figures(self.limit))
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

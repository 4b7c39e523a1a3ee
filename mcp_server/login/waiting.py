"""Waiting for a person to decide elsewhere: polls at the interval that the server asks for (RFC 8628 section 3.5)."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from mcp_server.login.authorization_server import Refusal, Waiting
from mcp_server.login.words import LOGIN, SignInFailed, Tokens, Unreachable

LONGER = 5.0
"""Seconds that each slow_down adds."""

LONGEST = 60.0
"""Seconds between two polls of a server that gives no answer: each failure doubles the wait up to this."""

FINAL = {
    "access_denied": "The sign-in was refused.",
    "expired_token": f"Nobody decided in time. Run `{LOGIN}` again.",
}

Sleep = Callable[[float], Awaitable[None]]


async def wait_for_person(
    poll: Callable[[], Awaitable[Tokens]],
    waiting: Waiting,
    *,
    sleep: Sleep = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Tokens:
    """The tokens of the first `poll` that gets some, when the person has allowed it.

    Raises:
        SignInFailed: the person refused, nobody decided in time, or the server wants nothing of it.

    """
    interval, deadline = waiting.interval, clock() + waiting.expires_in
    pause = interval
    while clock() + pause < deadline:
        await sleep(pause)
        try:
            return await poll()
        except Unreachable:
            pause = min(2 * pause, max(LONGEST, interval))  # it may come back while the code is good
        except Refusal as refusal:
            interval = pause = _next(interval, refusal.error)
    raise SignInFailed(FINAL["expired_token"])


def _next(interval: float, error: str) -> float:
    if error == "authorization_pending":
        return interval
    if error == "slow_down":
        return interval + LONGER
    raise SignInFailed(FINAL.get(error, "The gateway ended the sign-in.")) from None

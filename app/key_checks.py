"""Bounds how many unknown keys one address may have checked by the real internal API: each costs a request.

In embedded mode a wrong key costs a look into our own table, so that a right one works in the middle of a flood. Here
whoever guesses has the guesses sent on in our name; so a key that was never good here waits while its address floods.
"""

import asyncio
import hashlib
from collections import OrderedDict
from weakref import WeakValueDictionary

from mcp_server.audit.entries import current_origin
from mcp_server.limits.decisions import Rule
from mcp_server.limits.rules import Limits
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives.address_limit import network_key
from oauth.verifier import CredentialChecker

AT_ONCE = 8
"""Keys of one address that are being checked; others wait for so long:"""
WAIT_SECONDS = 2.0
MOST_GOOD = 10_000


class NotAsked(StoreUnavailable):
    """The API was not asked about the key, because its breaker is open. `retry_after` is in seconds."""

    def __init__(self, retry_after: float = 1.0) -> None:
        super().__init__("the key was not checked")
        self.retry_after = retry_after


class TooManyChecks(NotAsked):
    """It was not, because too many keys of this address are not valid, or are being checked."""


class BoundedKeys:
    """The answers of `keys`, within the bounds of each address. Stands behind what remembers answers.

    A key that was good when it was last asked about is always asked about again, whoever floods from its address.
    What was refused, and what could not be checked, is counted: so many as an address may ask without a key.
    """

    def __init__(self, keys: CredentialChecker, limits: Limits | None) -> None:
        self._keys, self._limits = keys, limits
        self._slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # of addresses that check now
        self._good: OrderedDict[bytes, None] = OrderedDict()

    async def check(self, key: str) -> Verified | None:
        """Who `key` belongs to, or None.

        Raises:
            TooManyChecks: the address has to wait.
            StoreUnavailable: the API gave no answer.

        """
        network, seed = client_network(), hashlib.sha256(key.encode()).digest()
        is_known = seed in self._good
        verified = await (self._checked(network, key) if is_known else self._in_turn(network, key))
        if verified is not None:
            self._good[seed] = None
            self._good.move_to_end(seed)
            if len(self._good) > MOST_GOOD:
                self._good.popitem(last=False)
        elif is_known:
            self._good.pop(seed, None)
        return verified

    async def _in_turn(self, network: str, key: str) -> Verified | None:
        slots = self._slots.get(network) or asyncio.Semaphore(AT_ONCE)
        self._slots[network] = slots
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await slots.acquire()
        except TimeoutError:
            raise TooManyChecks from None
        try:
            await self._count(network, 0)  # within the slot: else all that wait would go by what is counted now
            return await self._checked(network, key)
        finally:
            slots.release()

    async def _checked(self, network: str, key: str) -> Verified | None:
        try:
            verified = await self._keys.check(key)
        except NotAsked:
            raise
        except StoreUnavailable:
            await self._count(network, 1)
            raise
        if verified is None:
            await self._count(network, 1)
        return verified

    async def _count(self, network: str, cost: int) -> None:
        if self._limits is None:
            return
        per_address = self._limits.rules.anonymous
        rule = Rule("key checks", per_address.amount, per_address.seconds)
        charge = await self._limits.hit(network, (rule,), cost)
        if not cost and not charge.tightest.remaining:
            raise TooManyChecks(charge.tightest.reset)


def client_network() -> str:
    """The network of the client of the current request, as the rate limits count it."""
    origin = current_origin.get()
    return f"address:{network_key(origin.address)}" if origin is not None and origin.address else "address:unknown"

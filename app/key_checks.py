"""Bounds how many unknown keys one address may have checked by the real internal API: each costs a request.

In embedded mode a wrong key costs a look into our own table, so that a right one works in the middle of a flood. Here
whoever guesses has the guesses sent on in our name; so a key that was never good here waits while its address floods.
"""

import hashlib
from collections import Counter, OrderedDict

from mcp_server.audit.entries import current_origin
from mcp_server.limits.decisions import Rule
from mcp_server.limits.rules import Limits
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives.address_limit import network_key
from oauth.verifier import CredentialChecker

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
        self._asking: Counter[str] = Counter()
        self._good: OrderedDict[bytes, None] = OrderedDict()

    async def check(self, key: str) -> Verified | None:
        """Who `key` belongs to, or None.

        Raises `TooManyChecks`: the address has to wait; `StoreUnavailable`: the API gave no answer.
        """
        seed = hashlib.sha256(key.encode()).digest()
        if self._limits is None or seed in self._good:
            verified = await self._keys.check(key)
        else:
            verified = await self._check_bounded(key, self._limits)
        self._good.pop(seed, None)
        if verified is not None:
            self._good[seed] = None
            if len(self._good) > MOST_GOOD:
                self._good.popitem(last=False)
        return verified

    async def _check_bounded(self, key: str, limits: Limits) -> Verified | None:
        network, per_address = client_network(), limits.rules.anonymous
        rules, cost = (Rule("key checks", per_address.amount, per_address.seconds),), 1
        counted = (await limits.hit(network, rules, 0)).tightest
        if counted.remaining <= self._asking[network]:  # those under way may all be wrong
            raise TooManyChecks(counted.reset or 1.0)
        self._asking[network] += 1
        try:
            verified = await self._keys.check(key)
        except NotAsked:
            cost = 0
            raise
        else:
            cost = int(verified is None)
            return verified
        finally:
            if cost:
                await limits.hit(network, rules, cost)
            self._asking -= Counter((network,))


def client_network() -> str:
    """The network of the client of the current request, as the rate limits count it."""
    origin = current_origin.get()
    return f"address:{network_key(origin.address)}" if origin is not None and origin.address else "address:unknown"

"""Signing in with a password against the embedded accounts.

Every failure is one answer after the same work: an unknown address, a wrong password, a disabled account and
one that signs in elsewhere cannot be told apart.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import anyio

from oauth.errors import AccessDenied, Unacceptable
from oauth.flows.accounts import fold_email
from oauth.flows.throttle import Throttle
from oauth.models import User
from oauth.primitives.client_network_key import network_key
from oauth.primitives.passwords import password_matches
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import FailureStore

WINDOW = timedelta(minutes=15)
FAILURES_OF_ACCOUNT = 10
"""From one client address at one account. Not of the account alone: anybody could lock its owner out."""
FAILURES_OF_ADDRESS = 100
"""From one client address at all accounts: an office behind one address still signs in, a list of passwords fails."""
CHECKS_AT_ONCE = 4
"""Each takes 64 MiB: more at once would let anybody fill the memory by signing in wrongly."""

Matches = Callable[[str | None, str], Awaitable[bool]]
"""Whether a password is the one behind the hash; without a hash no, after the same work."""

WRONG = "The e-mail address or the password is wrong."


class PasswordSignIn:
    """Checks a password, slowly and not too often."""

    def __init__(self, users: AccountStore, failures: FailureStore, matches: Matches = password_matches) -> None:
        self._users, self._matches = users, matches
        self._of_account = Throttle(failures, limit=FAILURES_OF_ACCOUNT, window=WINDOW)
        self._of_address = Throttle(failures, limit=FAILURES_OF_ADDRESS, window=WINDOW)
        self._turns = anyio.Semaphore(CHECKS_AT_ONCE)

    async def sign_in(self, email: str, password: str, address: str, now: datetime) -> User:
        """The account, when address and password are right and there were not too many failures.

        Raises:
            AccessDenied: one of them is wrong, or the account may not sign in; which, is not said.
            TooManyRequests: there were too many failures; the right password is refused, too.
            StoreUnavailable: the store gave no answer.

        """
        folded, network = _folded(email), network_key(address)
        at_address, at_account = f"sign-in from {network}", f"sign-in from {network} at {folded}"
        await self._of_address.check(at_address, now)
        await self._of_account.attempt(at_account, now)
        user = await self._checked(folded, password)
        if user is None:
            await self._of_address.note(at_address, now)
            raise AccessDenied(WRONG)
        # Not the client address: one account of an attacker's own would clear the count of all guesses.
        await self._of_account.forgive(at_account)
        return user

    async def _checked(self, email: str, password: str) -> User | None:
        user = await self._users.find_user(email)
        async with self._turns:
            matches = await self._matches(user.password_hash if user else None, password)
        return user if user is not None and matches and user.disabled_at is None else None


def _folded(email: str) -> str:
    try:
        return fold_email(email)
    except Unacceptable:
        return ""  # no account has it, and the work is done all the same

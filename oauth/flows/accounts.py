"""Accounts of the embedded sign-in: one address, one account, and the password that opens it."""

import re
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

from oauth.errors import AccessDenied, Unacceptable, Unknown
from oauth.models import User
from oauth.primitives.address_limit import network_key
from oauth.primitives.passwords import hash_password, is_outdated, password_matches
from oauth.primitives.turns import Turns
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import FailureStore

MAX_EMAIL_LENGTH = 254  # RFC 5321 section 4.5.3.1.3, less the angle brackets
EMAIL_FORM = re.compile(r"[^@\s]+@[^@\s]+")


def fold_email(email: str) -> str:
    """The form in which two spellings of one address are equal. Raises `Unacceptable`: it is no e-mail address."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", email.strip()).casefold())
    if len(folded) > MAX_EMAIL_LENGTH or not folded.isprintable() or not EMAIL_FORM.fullmatch(folded):
        raise Unacceptable("Give an e-mail address, such as ada@example.com.")
    return folded


async def create_user(store: AccountStore, email: str, password: str, now: datetime) -> User:
    """A new account.

    Raises `Unacceptable`: the address or the password breaks a rule; `Conflict`: the address is taken.
    """
    folded = fold_email(email)
    user = User(id=str(uuid4()), email=folded, created_at=now, password_hash=await hash_password(password))
    await store.add_user(user)
    return user


async def require_user(store: AccountStore, email: str) -> User:
    """The account with this address. Raises `Unacceptable`: it is no e-mail address; `Unknown`: nobody has it."""
    user = await store.find_user(fold_email(email))
    if user is None:
        raise Unknown(f"No account has the address {fold_email(email)}.")
    return user


async def disable_user(store: AccountStore, email: str, now: datetime) -> User:
    """Stop the account and all its keys, in every process. Doing it twice keeps the first time.

    Its browser sessions and what it granted to apps end for good.
    """
    user = await require_user(store, email)
    if user.disabled_at is None:
        await store.set_disabled(user.id, now)
    return await require_user(store, email)


async def enable_user(store: AccountStore, email: str) -> User:
    """Let the account and its unrevoked, unexpired keys work again. Apps and browsers have to sign in anew."""
    user = await require_user(store, email)
    await store.set_disabled(user.id, None)
    return await require_user(store, email)


async def delete_user(store: AccountStore, email: str, now: datetime) -> User:
    """Forget the account, its keys, sessions and what it granted. It is disabled first, so that nothing begins."""
    user = await disable_user(store, email, now)
    await store.delete_user(user.id)
    return user


WINDOW = timedelta(minutes=15)
FAILURES_OF_ACCOUNT = 10
"""From one client address at one account. Not of the account alone: anybody could lock its owner out."""
FAILURES_OF_ADDRESS = 100
"""From one client address at all accounts: an office behind one address still signs in, a list of passwords fails."""
Matches = Callable[[str | None, str], Awaitable[bool]]
"""Whether a password is the one behind the hash; without a hash no, after the same work."""

WRONG = "The e-mail address or the password is wrong."


class PasswordSignIn:
    """Checks a password, slowly and not too often.

    Every failure is one answer after the same work: an unknown address, a wrong password, a disabled account and
    one that signs in elsewhere cannot be told apart.
    """

    def __init__(self, users: AccountStore, failures: FailureStore, matches: Matches = password_matches) -> None:
        self._users, self._failures, self._matches = users, failures, matches
        self._turns = Turns()

    async def sign_in(self, email: str, password: str, address: str, now: datetime) -> User:
        """The account, when address and password are right and there were not too many failures.

        Raises `AccessDenied`: one of them is wrong, or the account may not sign in; which, is not said;
        `TooManyRequests`: there were too many failures, when the right password is refused, too; or too many people
        sign in at once.
        """
        network = network_key(address)
        try:
            folded = fold_email(email)
        except Unacceptable:
            folded = ""  # no account has it, and the work is done all the same
        at_account = f"sign-in from {network} at {folded}"
        most = {f"sign-in from {network}": FAILURES_OF_ADDRESS, at_account: FAILURES_OF_ACCOUNT}
        # Whoever waits has not yet cost the database anything.
        async with self._turns.turn(network, folded):
            claimed = await self._failures.claim(most, WINDOW, now)
            user = await self._users.find_user(folded)
            matches = await self._matches(user.password_hash if user else None, password)
            if user is None or not matches or user.disabled_at is not None:
                raise AccessDenied(WRONG)
            # Of the address no more: one account of an attacker's own would clear the count of all guesses.
            await self._failures.forgive(claimed, at_account)
            return await self._renewed(user, password)

    async def confirm(self, user: User, password: str, address: str, now: datetime) -> User:
        """The signed-in account once more. It is counted with the sign-ins: a browser that was left open must not be
        where a password is guessed.

        Raises `Unacceptable`: the password is wrong; `TooManyRequests` as `sign_in` does.
        """
        try:
            return await self.sign_in(user.email, password, address, now)
        except AccessDenied:
            raise Unacceptable("The present password is wrong.") from None

    async def _renewed(self, user: User, password: str) -> User:
        if user.password_hash is None or not is_outdated(user.password_hash):
            return user
        renewed = replace(user, password_hash=await hash_password(password))
        await self._users.renew_hash(renewed, user.password_hash)
        return renewed

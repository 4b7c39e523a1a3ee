"""Signed-in browsers. The cookie holds a secret of 256 bits, the store its digest."""

import secrets as randomness
from datetime import datetime

from oauth.grants import Session
from oauth.models import User
from oauth.primitives import secrets
from oauth.settings import OAuthSettings
from oauth.stores.sessions import SessionStore

SECRET_BYTES = 32
MAX_SECRET = 64  # characters; a longer one is not ours and is not even digested


class Sessions:
    """Begins, finds and ends sessions.

    A sign-in always begins a new one under a new secret: a secret that somebody put into the browser
    beforehand never becomes a signed-in one (session fixation).
    """

    def __init__(self, store: SessionStore, settings: OAuthSettings) -> None:
        self._store = store
        self._lifetime = settings.session

    async def open(self, user: User, now: datetime) -> str:
        """The secret of a new session of this account.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        secret = randomness.token_urlsafe(SECRET_BYTES)
        await self._store.open_session(Session(secrets.digest(secret), user.id, now, now + self._lifetime))
        return secret

    async def of(self, secret: str | None, now: datetime) -> tuple[Session, User] | None:
        """The live session with this secret, and its account unless that is disabled.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        if not secret or len(secret) > MAX_SECRET:
            return None
        return await self._store.find_session(secrets.digest(secret), now)

    async def end(self, secret: str | None) -> None:
        """Sign this browser out.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        if secret and len(secret) <= MAX_SECRET:
            await self._store.end_session(secrets.digest(secret))

    async def end_all(self, user: User) -> None:
        """Sign the account out everywhere.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        await self._store.end_sessions(user.id)

    async def shown(self, user: User) -> str:
        """How a page names the account: by an address that was proven to be theirs, or by where it comes from.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        if user.password_hash is not None:
            return user.email
        address = await self._store.verified_address(user.id)
        return address or f"your account at {user.email.rpartition('@')[2]}"

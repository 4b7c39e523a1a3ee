"""A new password: for who knows the present one, and by a link that is mailed or that an operator hands over."""

import tomllib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib.resources import files
from urllib.parse import quote

from oauth.errors import Conflict, TooManyRequests, Unacceptable
from oauth.flows.accounts import WINDOW, fold_email
from oauth.models import User
from oauth.primitives import secrets
from oauth.primitives.address_limit import AddressLimit, network_key
from oauth.primitives.passwords import hash_password
from oauth.primitives.sealing import Sealer, Tampered
from oauth.stores.accounts import AccountStore

LINK_PATH = "/oauth/password/new"
LIFETIME = timedelta(minutes=30)
PURPOSE = "password link"
LINKS_OF_ADDRESS = 20
LINKS_OF_ACCOUNT = 3
"""Mailed within `WINDOW`; those before work on, so whoever asks for many keeps nobody from theirs."""

MAILS: Mapping[str, Mapping[str, str]] = tomllib.loads(files(__package__).joinpath("mails.toml").read_text("utf-8"))

Mail = Callable[[str, str, str], None]
"""Sends to an address, with a subject, a text; later, and without saying whether it could."""


async def set_password(store: AccountStore, user: User, password: str, *, keep: str | None = None) -> None:
    """Set it in place of the one that `user` was read with. Its sessions end, but for the one with the digest `keep`.

    Raises `Unacceptable`: it breaks a rule; `Conflict`: the account signs in elsewhere, or was changed meanwhile.
    """
    if user.password_hash is None:
        raise Conflict(f"The account {user.email} signs in with an identity provider, and has no password here.")
    await store.set_password(user, await hash_password(password), keep)


class PasswordLinks:
    """Nothing is stored: the digest of the present password's hash is sealed into a link, so the next one ends it."""

    def __init__(self, users: AccountStore, sealer: Sealer, site_url: str, mail: Mail | None = None) -> None:
        self.users, self.mail = users, mail
        self._sealer, self._site_url = sealer, site_url
        self._asked_from = AddressLimit(LINKS_OF_ADDRESS, WINDOW)
        self._asked_for = AddressLimit(LINKS_OF_ACCOUNT, WINDOW)

    def make(self, user: User, now: datetime) -> str:
        """The address to open. Raises `Conflict`: the account is disabled, or signs in elsewhere."""
        if user.password_hash is None or user.disabled_at is not None:
            raise Conflict(f"The account {user.email} is disabled, or signs in with an identity provider.")
        sealed = self._sealer.seal(PURPOSE, f"{secrets.digest(user.password_hash)} {user.email}".encode(), now)
        return f"{self._site_url}{LINK_PATH}?token={quote(sealed)}"

    async def owner(self, token: str, now: datetime) -> User:
        """Whose password it sets. Raises `Tampered`: it is none of ours, too old, or was used."""
        digest, _, email = self._sealer.open(PURPOSE, token, max_age=LIFETIME, now=now).decode().partition(" ")
        user = await self.users.find_user(email)
        if user is None or user.disabled_at is not None or digest != secrets.digest(user.password_hash or ""):
            raise Tampered
        return user

    async def send(self, email: str, address: str, now: datetime) -> User | None:
        """Mail a link to the account of this address, if there is one; that is for the log, and for nobody else.

        Raises `TooManyRequests`: the network asked for too many.
        """
        self._asked_from.count(network_key(address), now)
        try:
            folded = fold_email(email)
            self._asked_for.count(folded, now)
            user = await self.users.find_user(folded)
            if user is not None and self.mail is not None:
                link = self.make(user, now)
                mail = MAILS["password"]
                self.mail(user.email, mail["subject"], mail["text"].format(email=user.email, link=link))
        except (Unacceptable, Conflict, TooManyRequests):
            return None
        return user

"""Another e-mail address for an account: by a link to the new one where mail is set up, otherwise at once."""

import json
from datetime import datetime
from urllib.parse import quote

from oauth.errors import Unacceptable
from oauth.flows.accounts import WINDOW, fold_email
from oauth.flows.passwords import LIFETIME, MAILS, Mail
from oauth.models import User
from oauth.primitives import secrets
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.sealing import Sealer, Tampered
from oauth.stores.accounts import AccountStore

CONFIRM_PATH = "/account/settings"
PURPOSE = "email link"
ASKED_BY_ACCOUNT = 5
"""Within `WINDOW`: nobody is to mail many strangers, or to try which addresses have accounts."""
DEAD = "This link does not work. It is good for 30 minutes, once, in a browser that is signed in with the same account."


class EmailChanges:
    """Nothing is stored: a link holds account, both addresses and the digest of the password's hash, sealed.

    So it ends with its use, and with a new password.
    """

    def __init__(self, users: AccountStore, sealer: Sealer, site_url: str, mail: Mail | None) -> None:
        self._users, self._sealer, self._site_url, self._mail = users, sealer, site_url, mail
        self._asked = AddressLimit(ASKED_BY_ACCOUNT, WINDOW, "You asked too often. Wait a little and try again.")

    async def ask(self, user: User, email: str, now: datetime) -> bool:
        """Change the address now, where no mail can be sent; else mail a link, and False.

        Raises `Unacceptable`: it is no address, or the present one; `Conflict`: it is taken, which only who can send no
        mail is told; `TooManyRequests`: the account asked too often.
        """
        new = fold_email(email)
        if new == user.email:
            raise Unacceptable("That is the address that the account has.")
        self._asked.count(user.id, now)
        if self._mail is None:
            await self._users.set_email(user, new)
            return True
        if await self._users.find_user(new) is None:
            sealed = self._sealer.seal(PURPOSE, json.dumps([*_bound_to(user), new]).encode(), now)
            link = f"{self._site_url}{CONFIRM_PATH}?token={quote(sealed)}"
            mail = MAILS["email"]
            self._mail(new, mail["subject"], mail["text"].format(email=new, link=link))
        return False

    def address(self, user: User, token: str, now: datetime) -> str:
        """The new address that a link of this account confirms. Raises `Unacceptable`: it does not, or not any more."""
        try:
            *bound, new = json.loads(self._sealer.open(PURPOSE, token, max_age=LIFETIME, now=now))
        except Tampered:
            raise Unacceptable(DEAD) from None
        if bound != _bound_to(user):
            raise Unacceptable(DEAD)
        return str(new)

    async def confirm(self, user: User, token: str, now: datetime) -> None:
        """Change the address, and tell the old one by mail. Raises `Conflict`: it is taken; and as `address` does."""
        new = self.address(user, token, now)
        await self._users.set_email(user, new)
        if self._mail is not None:
            mail = MAILS["email_changed"]
            self._mail(user.email, mail["subject"], mail["text"].format(site=self._site_url, email=new))


def _bound_to(user: User) -> list[str]:
    return [user.id, user.email, secrets.digest(user.password_hash or "")]

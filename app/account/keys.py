"""The tab of keys: those that are made here, or the linked key of a real Minds API, which decides about keys."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from starlette.responses import Response

from app.account.shown import badges, choices, key_values, new_key_values, scope_field
from app.account.tabs import PATH, Action, Tab, Visit
from app.account.undoing import Ended, Undoing
from oauth.errors import StoreUnavailable, Unknown
from oauth.factory import OAuth
from oauth.flows import api_keys
from oauth.models import ApiKey, NewKey, User
from oauth.primitives import secrets
from oauth.primitives.address_limit import AddressLimit
from oauth.verifier import Verifier

LIFETIMES = {"30 days": 30, "90 days": 90, "1 year": 365, "never": 0}
"""What the form offers, in days; 0 is a key that lives until it is revoked."""
OVERLAP = timedelta(days=1)
"""For which a rotated key still works, so that clients can be changed one by one."""
ONCE = "That form was sent already. Nothing was done a second time."

LINKS = 10  # attempts a minute of one account to link a key
TOO_MANY = "You tried too many keys. Wait a minute and try again."
PATIENCE = 1.5
"""Seconds that the page waits for the Minds API. The answer is remembered, so the next page may know it."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The linked key of a real Minds API: "dead" when it refuses the key, "unknown" while it gives no answer."""

    last4: str
    state: Literal["works", "dead", "unknown"]


class KeysTab(Tab):
    path, template = f"{PATH}/keys", "account_keys.html"

    def __init__(self, oauth: OAuth, now: Callable[[], datetime], real_api: str | None) -> None:
        super().__init__(oauth, now)
        self._real_api, self._served, self._keys = real_api, oauth.settings.scopes, self.stores.accounts
        self._undoing = Undoing(oauth, now)
        self._links = AddressLimit(LINKS, timedelta(minutes=1), TOO_MANY)

    @property
    def forms(self) -> dict[str, Action]:
        return {
            "/keys": self._create_key,
            "/keys/{key_id}/rotate": self._rotate_key,
            "/keys/{key_id}/revoke": self._revoke_key,
            "/keys/undo": self._undo,
            "/minds-key": self._link_key,
            "/minds-key/remove": self._unlink_key,
        }

    async def values(self, visit: Visit) -> dict[str, Any]:
        """After a refusal with what was sent, so that nobody has to fill the form in again."""
        now, user, oauth = self.now(), visit.user, self.oauth
        return {
            "keys": key_values(await self._keys.list_keys(user.id), now),
            "once": secrets.new_key_id(),
            "lifetimes": list(LIFETIMES),
            "real_api": self._real_api,
            "choices": choices(self._served),
            "badges": badges,
            "undo": self._undoing.offered(visit, "key"),
            "filled": new_key_values(visit.sent if visit.is_form else None, list(LIFETIMES)),
            "linked": await linked_key(oauth.links, oauth.verifier, user.id, now) if self._real_api else None,
        }

    async def _create_key(self, visit: Visit) -> Response:
        self._require_own_keys()
        sent = visit.sent
        chosen = frozenset(scope for scope in self._served if sent.get(scope_field(scope)) is not None)
        if not chosen:
            raise Unknown("Choose at least one thing that the key may do.")
        lifetime = LIFETIMES.get(sent.get("lifetime") or "")
        if lifetime is None:  # never taken for "never": a key lives long because somebody chose that
            raise Unknown(f"Choose after how long the key expires: {', '.join(LIFETIMES)}.")
        await self._spend(visit)
        made = await api_keys.create_key(
            self._keys,
            visit.user,
            name=sent.get("name") or "",
            scopes=chosen,
            lifetime=timedelta(days=lifetime) if lifetime else None,
            now=self.now(),
        )
        return self._shown_once(visit.user, made, "key_created")

    async def _rotate_key(self, visit: Visit) -> Response:
        self._require_own_keys()
        key = await self._own(visit)
        await self._spend(visit)
        made = await api_keys.rotate_key(self._keys, key.id, overlap=OVERLAP, lifetime=None, now=self.now())
        return self._shown_once(visit.user, made, "key_rotated")

    async def _revoke_key(self, visit: Visit) -> Response:
        key = await self._own(visit)
        now = self.now()
        await api_keys.revoke_key(self._keys, key.id, now)
        self.activity.note(visit.user.id, "key_revoked", key.id, client_name=key.name)
        return self._undoing.offer(visit, self.back(), Ended("key", key.id, key.name, now))

    async def _undo(self, visit: Visit) -> Response:
        ended = await self._undoing.take(visit, "key")
        if not await self._keys.restore_key(visit.user.id, ended.id, ended.at):
            raise Unknown("That key was revoked once more, or is gone. Create a new one.")
        self.activity.note(visit.user.id, "key_restored", ended.id, client_name=ended.name)
        return self._undoing.close(self.back())

    async def _link_key(self, visit: Visit) -> Response:
        self._require_links()
        # Each attempt asks the Minds API about a key that somebody names: nobody is to try many of them here.
        self._links.count(visit.user.id, self.now())
        await self.oauth.links.link(visit.user.id, visit.sent.get("key") or "", self.now())
        self.activity.note(visit.user.id, "minds_key_linked")
        return self.back()

    async def _unlink_key(self, visit: Visit) -> Response:
        self._require_links()
        await self.stores.linked_keys.unlink_key(visit.user.id)
        self.activity.note(visit.user.id, "minds_key_removed")
        return self.back()

    def _require_own_keys(self) -> None:
        if self._real_api is not None:
            raise Unknown(f"The Minds API at {self._real_api} decides about keys: make one there.")

    def _require_links(self) -> None:
        if self._real_api is None:
            raise Unknown("This server serves the Minds API itself: there is no key to link.")

    async def _own(self, visit: Visit) -> ApiKey:
        """The key of the address, if it is this account's: somebody else's is as unknown as none."""
        for owned in await self._keys.list_keys(visit.user.id):
            if owned.key.id == visit.request.path_params["key_id"]:
                return owned.key
        raise Unknown("That key is none of yours, or it is gone. Your keys are listed below.")

    async def _spend(self, visit: Visit) -> None:
        # A page that shows a secret is the answer to a form: loading it again sends the form again.
        once = visit.sent.require("once")
        if not await self.stores.grants.spend(f"account {once}", self.now() + self.oauth.settings.session):
            raise Unknown(ONCE)

    def _shown_once(self, user: User, made: NewKey, event: str) -> Response:
        self.activity.note(user.id, event, made.key.id, client_name=made.key.name)
        return self.oauth.pages.render(
            "new_key.html", is_scripted=True, path=self.path, secret=made.secret, key=made.key
        )


async def linked_key(links: api_keys.Links, verifier: Verifier, user_id: str, now: datetime) -> Linked | None:
    """The linked key of this account; None when there is none.

    Raises `StoreUnavailable`: the store gave no answer; the silence of the Minds API is no fault of the page.
    """
    last4 = await links.last4(user_id)
    if last4 is None:
        return None
    key = await links.key_of(user_id, now)
    if key is None:  # sealed under another secret than that of today
        return Linked(last4, "dead")
    try:
        async with asyncio.timeout(PATIENCE):
            return Linked(last4, "dead" if await verifier.verify(key.get_secret_value()) is None else "works")
    except (StoreUnavailable, TimeoutError):
        return Linked(last4, "unknown")

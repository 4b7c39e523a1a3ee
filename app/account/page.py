"""The account page: keys, connected apps, the linked key of a real Minds API, and what happened."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.account.shown import account_values, choices, day, moment, new_key_values, scope_field, words
from oauth.endpoints import http
from oauth.endpoints.login import LOGOUT, LOGOUT_PATH
from oauth.endpoints.pages import shows_pages
from oauth.endpoints.signed_in import see_other
from oauth.errors import AccessDenied, ApiUnavailable, OauthError, Refused, StoreUnavailable, TooManyRequests, Unknown
from oauth.factory import OAuth
from oauth.flows import api_keys
from oauth.flows.consent import ConnectedApps
from oauth.models import ApiKey, NewKey, User
from oauth.primitives import csrf, secrets
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters
from oauth.verifier import Verifier

PATH = "/account"
PURPOSE = "account"
LIFETIMES = {"30 days": 30, "90 days": 90, "1 year": 365, "never": 0}
"""What the form offers, in days; 0 is a key that lives until it is revoked."""
OVERLAP = timedelta(days=1)
"""For which a rotated key still works, so that clients can be changed one by one."""
ONCE = "That form was sent already. Nothing was done a second time."

LINKS = 10  # attempts a minute of one account to link a key
PATIENCE = 1.5
"""Seconds that the page waits for the Minds API. The answer is remembered, so the next page may know it."""

Action = Callable[[Request, User, Parameters], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Linked:
    """The linked key of a real Minds API: "dead" when it refuses the key, "unknown" while it gives no answer."""

    last4: str
    state: Literal["works", "dead", "unknown"]


class AccountPage:
    """GET /account and the forms on it.

    `real_api` is the address of a real internal API: it decides about keys, and is called with one that the person
    links. With the embedded one keys are made here.
    """

    def __init__(self, oauth: OAuth, *, real_api: str | None, now: Callable[[], datetime] = utc_now) -> None:
        self._oauth, self._now = oauth, now
        self._real_api, self._served = real_api, oauth.settings.scopes
        self._links = AddressLimit(LINKS, timedelta(minutes=1))
        self._pages, self._signed_in, self._activity = oauth.pages, oauth.signed_in, oauth.activity
        self._keys = oauth.stores.accounts
        stores = oauth.stores
        self._apps = ConnectedApps(stores.grants, stores.devices, stores.consents)
        self.routes = [
            Route(PATH, shows_pages(self._pages, self._show), methods=["GET"]),
            self._form("/keys", self._create_key),
            self._form("/keys/{key_id}/rotate", self._rotate_key),
            self._form("/keys/{key_id}/revoke", self._revoke_key),
            self._form("/apps/disconnect", self._disconnect),
            self._form("/minds-key", self._link_key),
            self._form("/minds-key/remove", self._unlink_key),
        ]

    def _form(self, path: str, action: Action) -> Route:
        async def posted(request: Request) -> Response:
            parameters = await http.form(request)
            found = await self._signed_in.of(request, self._now())
            if found is None:
                raise AccessDenied("You are not signed in any more. Sign in and do it again.")
            _session, user, secret = found
            self._signed_in.check_form(request, parameters, secret, PURPOSE)
            try:
                return await action(request, user, parameters)
            except (Refused, TooManyRequests, ApiUnavailable) as refusal:
                return await self._page(user, secret, refusal, parameters)

        return Route(PATH + path, shows_pages(self._pages, posted), methods=["POST"])

    async def _show(self, request: Request) -> Response:
        found = await self._signed_in.of(request, self._now())
        if found is None:
            return self._signed_in.to_login(PATH, self._now())
        _session, user, secret = found
        return await self._page(user, secret)

    async def _page(
        self, user: User, secret: str, refusal: OauthError | None = None, sent: Parameters | None = None
    ) -> Response:
        """The page; after a refusal with what was sent, so that nobody has to fill the form in again."""
        now, stores = self._now(), self._oauth.stores
        status = 200 if refusal is None else 400
        if isinstance(refusal, TooManyRequests | ApiUnavailable):
            status = refusal.status if isinstance(refusal, TooManyRequests) else http.UNAVAILABLE
        headers = {"retry-after": str(refusal.retry_after)} if isinstance(refusal, TooManyRequests) else {}
        owned = await stores.accounts.list_keys(user.id)
        apps = await self._apps.list_apps(user.id, now)
        values = account_values(owned, apps, await self._activity.latest(user.id), now)
        return self._pages.render(
            "account.html",
            status,
            headers=headers,
            path=PATH,
            logout=LOGOUT_PATH,
            csrf_field=csrf.FIELD,
            csrf_token=csrf.token(secret, PURPOSE),
            logout_token=csrf.token(secret, LOGOUT),
            once=secrets.new_key_id(),
            shown=await self._signed_in.shown(user),
            has_password=user.password_hash is not None,
            lifetimes=list(LIFETIMES),
            real_api=self._real_api,
            is_kept=self._activity.is_kept,
            day=day,
            moment=moment,
            words=words,
            choices=choices(self._served),
            filled=new_key_values(sent, list(LIFETIMES)),
            linked=await linked_key(self._oauth.links, self._oauth.verifier, user.id, now) if self._real_api else None,
            problem=str(refusal) if refusal else None,
            **values,
        )

    async def _create_key(self, _request: Request, user: User, parameters: Parameters) -> Response:
        self._require_own_keys()
        chosen = frozenset(scope for scope in self._served if parameters.get(scope_field(scope)) is not None)
        if not chosen:
            raise Unknown("Choose at least one thing that the key may do.")
        lifetime = LIFETIMES.get(parameters.get("lifetime") or "")
        if lifetime is None:  # never taken for "never": a key lives long because somebody chose that
            raise Unknown(f"Choose after how long the key expires: {', '.join(LIFETIMES)}.")
        await self._spend(parameters)
        made = await api_keys.create_key(
            self._keys,
            user,
            name=parameters.get("name") or "",
            scopes=chosen,
            lifetime=timedelta(days=lifetime) if lifetime else None,
            now=self._now(),
        )
        return self._shown_once(user, made, "key_created")

    async def _rotate_key(self, request: Request, user: User, parameters: Parameters) -> Response:
        self._require_own_keys()
        key = await self._own(request, user)
        await self._spend(parameters)
        made = await api_keys.rotate_key(self._keys, key.id, overlap=OVERLAP, lifetime=None, now=self._now())
        return self._shown_once(user, made, "key_rotated")

    async def _revoke_key(self, request: Request, user: User, _parameters: Parameters) -> Response:
        key = await self._own(request, user)
        await api_keys.revoke_key(self._keys, key.id, self._now())
        self._activity.note(user.id, "key_revoked", key.id, client_name=key.name)
        return see_other(f"{PATH}#keys")

    async def _disconnect(self, _request: Request, user: User, parameters: Parameters) -> Response:
        app = await self._apps.disconnect(user.id, parameters.require("client_id"), self._now())
        self._activity.note(user.id, "app_disconnected", app.client_id, client_name=app.name)
        return see_other(f"{PATH}#apps")

    async def _link_key(self, _request: Request, user: User, parameters: Parameters) -> Response:
        self._require_links()
        # Each attempt asks the Minds API about a key that somebody names: nobody is to try many of them here.
        try:
            self._links.count(user.id, self._now())
        except TooManyRequests as refusal:
            raise TooManyRequests(
                "You tried too many keys. Wait a minute and try again.", refusal.retry_after
            ) from None
        await self._oauth.links.link(user.id, parameters.get("key") or "", self._now())
        self._activity.note(user.id, "minds_key_linked")
        return see_other(f"{PATH}#minds-key")

    async def _unlink_key(self, _request: Request, user: User, _parameters: Parameters) -> Response:
        self._require_links()
        await self._oauth.stores.linked_keys.unlink_key(user.id)
        self._activity.note(user.id, "minds_key_removed")
        return see_other(f"{PATH}#minds-key")

    def _require_own_keys(self) -> None:
        if self._real_api is not None:
            raise Unknown(f"The Minds API at {self._real_api} decides about keys: make one there.")

    def _require_links(self) -> None:
        if self._real_api is None:
            raise Unknown("This server serves the Minds API itself: there is no key to link.")

    async def _own(self, request: Request, user: User) -> ApiKey:
        """The key of the address, if it is this account's: somebody else's is as unknown as none."""
        for owned in await self._keys.list_keys(user.id):
            if owned.key.id == request.path_params["key_id"]:
                return owned.key
        raise Unknown("That key is none of yours, or it is gone. Your keys are listed below.")

    async def _spend(self, parameters: Parameters) -> None:
        # A page that shows a secret is the answer to a form: loading it again sends the form again.
        once = parameters.require("once")
        if not await self._oauth.stores.grants.spend(f"account {once}", self._now() + self._oauth.settings.session):
            raise Unknown(ONCE)

    def _shown_once(self, user: User, made: NewKey, event: str) -> Response:
        self._activity.note(user.id, event, made.key.id, client_name=made.key.name)
        return self._pages.render("new_key.html", 200, path=PATH, secret=made.secret, key=made.key, day=day)


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

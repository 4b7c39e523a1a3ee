"""What a person allows a client, what is remembered of it, and the code that comes of it."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from oauth.errors import Conflict, Unknown
from oauth.grants import AuthorizationRequest, Client, Code, Consent, Device, Grant
from oauth.primitives import redirects
from oauth.primitives.display_names import may_imitate, shown_host, shown_name
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores import Stores
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import ConsentStore

CODE_BYTES = 32
ANSWERED = "This request has been answered already."
MAX_REDIRECT_HOST = 255  # what the columns hold; a host has 253 characters at most, a private scheme may have more


def introduced(client: Client, redirect_uri: str) -> dict[str, Any]:
    """The client as its consent page shows it to the person who decides."""
    host, on_device = client.verified_host, _is_on_device(redirect_uri)
    target, name, vouched = redirects.redirect_host(redirect_uri), shown_name(client.name), client.kind != "registered"
    return {
        "name": name,
        "monogram": monogram(name),
        "verified_host": None if host is None else shown_host(host),
        "redirect_host": shown_host(target),
        # Whether the name is our configuration's or a verified host's; the others chose theirs themselves.
        "vouched": vouched,
        # Whether it is this app and no other: on a device, any program can use its name.
        "proven": vouched and not on_device,
        # Whether the code goes to another host than the one that vouches.
        "elsewhere": host not in {None, target} and not on_device,
        "on_device": on_device,
        "imitates": imitates(client),
    }


def monogram(name: str) -> str:
    """The letter that stands where an app has no logo."""
    return next((character.upper()[0] for character in name if character.isalnum()), "?")


def imitates(client: Client) -> bool:
    """Whether the name may have been made to be taken for another; an operator's own choice never is."""
    return client.kind != "configured" and (client.imitates or may_imitate(client.name))


class Consents:
    def __init__(self, consents: ConsentStore, grants: GrantStore, settings: OAuthSettings) -> None:
        self._consents, self._grants = consents, grants
        self._settings = settings

    async def is_remembered(self, request: AuthorizationRequest, client: Client, user_id: str, now: datetime) -> bool:
        """Whether this person allowed this client at this redirect host all of these scopes, not long ago.

        Never for a client that cannot prove who it is when the code arrives on the person's own device: any program
        there can use a native client's name and address (RFC 8252 section 8.6).
        """
        if not self._may_be_remembered(request, client):
            return False
        held = await self._consents.find_consent(user_id, client.id, _redirect_host(request), now)
        return held is not None and request.scopes <= held.scopes

    async def held(self, request: AuthorizationRequest, user_id: str, now: datetime) -> frozenset[str]:
        """What this client has of this person already, of what it asks for; nothing where it asks for no more.

        It is shown and not asked again. Without the person's answer it is no grant, whoever uses the client's name.
        """
        asked = (request.client_id, _redirect_host(request), request.resource)
        granted = [
            grant.scopes
            for grant in await self._grants.list_grants(user_id, now)
            if (grant.client_id, grant.redirect_host, grant.resource) == asked
        ]
        held = request.scopes & frozenset().union(*granted)
        return held if held < request.scopes else frozenset()

    async def allow(
        self, request: AuthorizationRequest, client: Client, user_id: str, scopes: frozenset[str], now: datetime
    ) -> str:
        """The code for this grant. What was allowed is remembered in place of what was before.

        Raises `Conflict`: the request was answered before, here or in another process.
        """
        granted = scopes & request.scopes  # a form can name more than was asked; nobody gets it
        secret, host = secrets.token_urlsafe(CODE_BYTES), _redirect_host(request)
        grant = Grant(
            id=str(uuid4()),
            user_id=user_id,
            client_id=client.id,
            client_name=shown_name(client.name),
            redirect_host=host,
            scopes=granted,
            resource=request.resource,
            created_at=now,
            expires_at=now + self._settings.family,
            asked=" ".join([*sorted(request.scopes), request.asked]).strip(),
        )
        code = Code(
            digest=digest(secret),
            grant_id=grant.id,
            client_id=client.id,
            redirect_uri=request.redirect_uri,
            redirect_given=request.redirect_given,
            challenge=request.challenge,
            scopes=granted,
            resource=request.resource,
            expires_at=now + self._settings.code,
        )
        if not await self._grants.approve(request.id, grant, code, self._until(now)):
            raise Conflict(ANSWERED)
        if self._may_be_remembered(request, client):
            consent = Consent(user_id, client.id, host, granted, now, now + self._settings.consent)
            await self._consents.keep_consent(consent)
        return secret

    async def refuse(self, request: AuthorizationRequest, now: datetime) -> None:
        """Let nobody answer this request any more.

        Raises `Conflict`: the request was answered before, here or in another process.
        """
        if not await self._grants.spend(request.id, self._until(now)):
            raise Conflict(ANSWERED)

    async def require_open(self, request: AuthorizationRequest) -> None:
        """Spare a person the question about a request that has its answer; `allow` and `refuse` decide.

        Raises `Conflict`: the request was answered before, here or in another process.
        """
        if await self._grants.is_spent(request.id):
            raise Conflict(ANSWERED)

    def _may_be_remembered(self, request: AuthorizationRequest, client: Client) -> bool:
        # Only for the resource that people have in mind: another one is a decision of its own.
        provable = not (client.is_public and _is_on_device(request.redirect_uri))
        return provable and request.resource == self._settings.resource

    def _until(self, now: datetime) -> datetime:
        return now + self._settings.request  # by then its handle opens no more


def _redirect_host(request: AuthorizationRequest) -> str:
    return redirects.redirect_host(request.redirect_uri)[-MAX_REDIRECT_HOST:]


def _is_on_device(redirect_uri: str) -> bool:
    """Whether the code goes to whatever program listens on loopback or claimed the private scheme."""
    return redirects.is_loopback(redirect_uri) or not redirect_uri.startswith("https:")


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """One client with all that it holds of one account: live grants, and devices that have yet to fetch theirs.

    Attributes:
        redirect_host: where its codes went, which is harder to make up than a name.

    """

    client_id: str
    name: str
    redirect_host: str | None
    scopes: frozenset[str]
    since: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class ConnectedApps:
    stores: Stores

    async def list_apps(self, user_id: str, now: datetime) -> list[ConnectedApp]:
        """The connected clients, the one that was used last first."""
        by_client: dict[str, list[Grant | Device]] = {}
        # Devices first: one that fetches its tokens in between is in both lists, and else would be in none.
        everything: list[Grant | Device] = [*await self.stores.devices.list_let_in(user_id, now)]
        everything += await self.stores.grants.list_grants(user_id, now)
        for held in everything:
            by_client.setdefault(held.client_id, []).append(held)
        apps = [_app(of_client) for of_client in by_client.values()]
        return sorted(apps, key=lambda app: app.last_used_at or app.since, reverse=True)

    async def disconnect(self, user_id: str, client_id: str, now: datetime) -> ConnectedApp:
        """End all that this client holds of the account, in every process, and ask the person again next time.

        What was allowed and not fetched yet, a code or a device's tokens, is never handed out.

        Raises `Unknown`: the account has not connected this client, or no longer.
        """
        app = next((app for app in await self.list_apps(user_id, now) if app.client_id == client_id), None)
        if app is None:
            raise Unknown("That app is not connected, or no longer.")
        # First, so that no remembered consent makes a new grant beside those that end.
        await self.stores.consents.forget_consents(user_id, client_id)
        await self.stores.grants.end_client(user_id, client_id, now)
        return app

    async def restore(self, user_id: str, client_id: str, ended_at: datetime) -> None:
        """Take a disconnection back: the app's tokens work again. A consent is not remembered again: it asks anew.

        Raises `Unknown`: nothing of it was ended then, or the operator has revoked the client since.
        """
        if not await self.stores.grants.restore_client(user_id, client_id, ended_at):
            raise Unknown("It had no access yet that could be given back. Connect the app anew.")


def _app(held: list[Grant | Device]) -> ConnectedApp:
    newest, grants = max(held, key=lambda each: each.created_at), [each for each in held if isinstance(each, Grant)]
    host = newest.redirect_host if isinstance(newest, Grant) else None
    used = [grant.last_used_at for grant in grants if grant.last_used_at is not None]
    return ConnectedApp(
        client_id=newest.client_id,
        name=shown_name(newest.client_name),
        redirect_host=None if host is None else shown_host(host),
        scopes=frozenset().union(*(each.scopes for each in held)),
        since=min(each.created_at for each in held),
        last_used_at=max(used, default=None),
    )

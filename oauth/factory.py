"""The composition of the gatehouse: stores, flows and endpoints, connected once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.routing import Route

from oauth.access_tokens import AccessTokens
from oauth.activity import Activity
from oauth.credentials import ByForm, Checker, StoredTokens
from oauth.endpoints.authorize import Authorize
from oauth.endpoints.callback import Callback, redirect_uri
from oauth.endpoints.consent import ConsentPage
from oauth.endpoints.device import DeviceAuthorization, DevicePage
from oauth.endpoints.gate import Gate, OpenGate, gated
from oauth.endpoints.introspect import Introspect
from oauth.endpoints.jwks import JwksEndpoint
from oauth.endpoints.login import Login
from oauth.endpoints.metadata import MetadataEndpoint
from oauth.endpoints.pages import Pages
from oauth.endpoints.register import Register
from oauth.endpoints.revoke import Revoke
from oauth.endpoints.short_paths import short_routes
from oauth.endpoints.signed_in import SignedIn
from oauth.endpoints.token import Token
from oauth.endpoints.waiting import WaitingClients
from oauth.flows.authorization import Authorization
from oauth.flows.authorization_code import AuthorizationCodes
from oauth.flows.client_assertions import Assertions
from oauth.flows.client_authentication import ClientAuthentication
from oauth.flows.client_credentials import ClientCredentials
from oauth.flows.client_documents import ClientDocuments
from oauth.flows.client_keys import ClientKeys
from oauth.flows.clients import Clients
from oauth.flows.consent import Consents
from oauth.flows.device import Devices, stdio_client
from oauth.flows.device_approval import Approvals
from oauth.flows.external_sign_in import ExternalSignIn
from oauth.flows.handles import Handles
from oauth.flows.holders import Holders
from oauth.flows.introspection import Introspection
from oauth.flows.linked_keys import Links
from oauth.flows.refresh_token import RefreshTokens
from oauth.flows.registration import Registration
from oauth.flows.returning import Returning
from oauth.flows.revocation import Revocation
from oauth.flows.sessions import Sessions
from oauth.flows.sign_in import PasswordSignIn
from oauth.flows.token_requests import TokenFlow
from oauth.grants import DEVICE_CODE
from oauth.identity.door import Door, over_tls
from oauth.identity.oidc import OidcProvider
from oauth.identity.provider import Provider
from oauth.identity.supabase import SupabaseProvider
from oauth.maintenance import Chore
from oauth.primitives import scopes
from oauth.primitives.clock import utc_now
from oauth.primitives.fetching import Fetch
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores import Stores
from oauth.verifier import Verifier

FAILURES_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class OAuth:
    """What the rest of the house gets of it.

    Attributes:
        verifier: whose credential is this?
        tokens: this server as the authority on its access tokens, for the upkeep.
        chores: done at the start and once an hour.

    """

    settings: OAuthSettings
    routes: Sequence[Route]
    verifier: Verifier
    tokens: StoredTokens
    keys: SigningKeys
    chores: Sequence[Chore]
    stores: Stores
    signed_in: SignedIn
    links: Links
    activity: Activity
    pages: Pages


@dataclass(frozen=True)
class _Parts:
    """What several endpoints share."""

    settings: OAuthSettings
    stores: Stores
    sealer: Sealer
    pages: Pages
    clients: Clients
    authenticate: ClientAuthentication
    signed_in: SignedIn
    returning: Returning
    access: AccessTokens
    verifier: Verifier
    activity: Activity
    gate: Gate
    now: Callable[[], datetime]


def create_oauth(
    settings: OAuthSettings,
    engine: AsyncEngine,
    sealer: Sealer,
    keys: Checker,
    fetch: Fetch,
    *,
    pages: Pages,
    gate: Gate | None = None,
    activity: Activity,
    remembered_seconds: float = 60,
    now: Callable[[], datetime] = utc_now,
) -> OAuth:
    """The authorization server on a database that will be migrated before it is asked.

    `keys` decides about API keys, `fetch` reads clients' documents, `gate` counts what machines ask, `activity` is told
    who did what, and `remembered_seconds` is how long a verified credential is.

    Raises:
        Unacceptable: a configured client breaks a rule.

    """
    stores = Stores(engine)
    signing_keys = SigningKeys(stores.signing_keys, sealer, settings)
    access = AccessTokens(signing_keys, settings)
    documents = ClientDocuments(fetch, settings, stores.clients)
    clients = Clients(stores.clients, documents, settings, [stdio_client(settings, now())])
    tokens = StoredTokens(access, stores.grant_ring, now, has_client=clients.has)
    verifier = Verifier(ByForm(keys=keys, tokens=tokens), ttl=remembered_seconds, wall=now)
    authenticate = ClientAuthentication(clients, Assertions(ClientKeys(fetch), stores.grants, settings))
    returning = Returning(sealer)
    parts = _Parts(
        settings=settings,
        stores=stores,
        sealer=sealer,
        pages=pages,
        clients=clients,
        authenticate=authenticate,
        signed_in=SignedIn(Sessions(stores.sessions, settings), returning, settings, activity),
        returning=returning,
        access=access,
        verifier=verifier,
        activity=activity,
        gate=gate or OpenGate(),
        now=now,
    )
    return _whole(parts, signing_keys, tokens, Links(stores.linked_keys, sealer, keys))


def _whole(parts: _Parts, keys: SigningKeys, tokens: StoredTokens, links: Links) -> OAuth:
    holders = Holders(parts.stores.grants, parts.stores.devices, parts.now)
    published = [parts.pages.route, *JwksEndpoint(keys, parts.now).routes]
    return OAuth(
        settings=parts.settings,
        routes=gated([*published, *_browser(parts), *_machine(parts)], parts.gate, holders.find),
        verifier=parts.verifier,
        tokens=tokens,
        keys=keys,
        chores=_chores(parts.stores, keys),
        stores=parts.stores,
        signed_in=parts.signed_in,
        links=links,
        activity=parts.activity,
        pages=parts.pages,
    )


def _browser(parts: _Parts) -> list[Route]:
    """What a person's browser visits."""
    settings, stores, pages, now = parts.settings, parts.stores, parts.pages, parts.now
    authorization = Authorization(parts.clients, settings)
    handles = Handles(parts.sealer, settings)
    consents = Consents(stores.consents, stores.grants, stores.grants, settings)
    external = ExternalSignIn(_providers(settings), stores.identities, stores.grants, parts.sealer, settings)
    password = PasswordSignIn(stores.accounts, stores.failures)
    waiting = WaitingClients(authorization, handles, consents, settings)
    approvals = Approvals(stores.devices, stores.failures, parts.sealer)
    devices = Devices(stores.devices, parts.access, parts.sealer, settings)
    return [
        *short_routes(),
        *Authorize(authorization, handles, pages, settings, now).routes,
        *ConsentPage(authorization, handles, consents, parts.signed_in, pages, settings, now).routes,
        *Login(pages, parts.signed_in, parts.returning, password, external, settings, now).routes,
        *Callback(pages, parts.signed_in, parts.returning, external, waiting, settings, now).routes,
        *DevicePage(
            approvals, parts.signed_in, pages, scopes.IN_WORDS, api_resource=settings.api_resource, now=now
        ).routes,
        *DeviceAuthorization(devices, approvals, parts.authenticate, settings, now=now).routes,
    ]


def _machine(parts: _Parts) -> list[Route]:
    """What clients and internal callers ask."""
    settings, stores, now, forget = parts.settings, parts.stores, parts.now, parts.verifier.forget
    devices = Devices(stores.devices, parts.access, parts.sealer, settings)
    flows: dict[str, TokenFlow] = {
        "authorization_code": AuthorizationCodes(stores.grants, parts.access, settings, forget, parts.activity),
        "refresh_token": RefreshTokens(stores.grants, parts.access, settings, forget, parts.activity),
        "client_credentials": ClientCredentials(stores.grants, parts.access, settings),
        DEVICE_CODE: devices.exchange,
    }
    revocation = Revocation(stores.grants, parts.access, parts.activity)
    introspection = Introspection(stores.grants, parts.access, settings, has_client=parts.clients.has)
    return [
        *MetadataEndpoint(settings).routes,
        *Register(Registration(stores.clients, settings), now, parts.activity).routes,
        *Token(parts.authenticate.of_known, flows, stores.clients, now, parts.activity).routes,
        *Revoke(parts.authenticate.of_known, revocation, forget, now).routes,
        *Introspect(introspection, settings.introspection_secret, now).routes,
    ]


def _providers(settings: OAuthSettings) -> list[Provider]:
    if settings.oidc is None and settings.supabase is None:
        return []
    door = Door(over_tls())
    providers: list[Provider] = []
    if settings.oidc is not None:
        providers.append(OidcProvider(settings.oidc, redirect_uri(settings, "oidc"), door))
    if settings.supabase is not None:
        providers.append(SupabaseProvider(settings.supabase, redirect_uri(settings, "supabase"), door))
    return providers


def _chores(stores: Stores, keys: SigningKeys) -> list[Chore]:
    async def drop_failures(now: datetime) -> None:
        await stores.failures.drop_failures(now - FAILURES_KEPT)

    return [keys.prepare, stores.grants.drop_expired, stores.clients.drop_expired_clients, drop_failures]

"""The composition of the authorization server: stores, flows and endpoints, connected once."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.routing import Route

from oauth.access_tokens import AccessTokens
from oauth.activity import Activity
from oauth.credentials import ByForm, StoredTokens
from oauth.endpoints.asking import AskingApp
from oauth.endpoints.callback import Callback, redirect_uri
from oauth.endpoints.consent import ConsentPage, short_routes
from oauth.endpoints.device import DeviceEndpoints
from oauth.endpoints.gate import Gate, gated
from oauth.endpoints.login import Login
from oauth.endpoints.metadata import PATHS, document_routes, jwks_route, server_metadata
from oauth.endpoints.pages import Pages, asset_routes
from oauth.endpoints.passwords import ASK_PATH, PasswordPages
from oauth.endpoints.signed_in import SignedIn
from oauth.endpoints.token import TokenEndpoints, TokenFlow, register_route
from oauth.flows.accounts import PasswordSignIn
from oauth.flows.api_keys import Links
from oauth.flows.authorization import Authorization
from oauth.flows.client_assertions import Assertions, ClientKeys
from oauth.flows.client_authentication import ClientAuthentication
from oauth.flows.client_documents import ClientDocuments
from oauth.flows.client_logos import ClientLogos
from oauth.flows.clients import Clients
from oauth.flows.consent import Consents
from oauth.flows.device import Devices, stdio_client
from oauth.flows.external_sign_in import ExternalSignIn, ReturnUrls
from oauth.flows.grant_types import GrantTypes
from oauth.flows.issued_tokens import IssuedTokens
from oauth.flows.passkeys import Passkeys
from oauth.flows.passwords import Mail, PasswordLinks
from oauth.flows.registration import Registration
from oauth.grants import DEVICE_CODE
from oauth.identity.oidc import OidcProvider
from oauth.identity.provider import Provider, ProviderClient, over_tls
from oauth.identity.supabase import SupabaseProvider
from oauth.maintenance import Chore
from oauth.primitives.clock import utc_now
from oauth.primitives.fetching import Fetch
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores import Stores
from oauth.stores.base import on_announcement
from oauth.verifier import CredentialChecker, Verifier


class OAuth:
    """The authorization server on a database that will be migrated before it is asked.

    Attributes:
        verifier: whose credential is this?
        password: whether a password is an account's; `password_links` are for who has forgotten it.
        tokens: this server as the authority on its access tokens, for the maintenance.
        chores: done at the start and once an hour.

    """

    def __init__(
        self,
        settings: OAuthSettings,
        engine: AsyncEngine,
        sealer: Sealer,
        keys: CredentialChecker,
        fetch: Fetch,
        *,
        pages: Pages,
        gate: Gate | None = None,
        activity: Activity,
        mail: Mail | None = None,
        remembered_seconds: float = 60,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Connect stores, flows and endpoints, once.

        `keys` decides about API keys, `fetch` reads clients' documents, `gate` counts what machines ask, `activity`
        records who did what, `mail` sends links to set a password, and `remembered_seconds` is how long a verified
        credential is.

        Raises `Unacceptable`: a configured client breaks a rule.
        """
        self.settings, self.pages, self.activity, self.sealer, self._now = settings, pages, activity, sealer, now
        self.stores = stores = Stores(engine)
        self.keys = SigningKeys(stores.signing_keys, sealer, settings)
        self._access, self.passkeys = AccessTokens(self.keys, settings), Passkeys(stores, sealer, settings, activity)
        documents, self._logos = ClientDocuments(fetch, settings, stores.clients), ClientLogos(fetch)
        self._clients = Clients(stores.clients, documents, settings, [stdio_client(settings, now())])
        self._authenticate = ClientAuthentication(self._clients, Assertions(ClientKeys(fetch), stores.grants, settings))
        self.links = Links(stores.linked_keys, sealer, keys)
        has_client, linked_key = self._clients.has, self.links.key_of
        self.tokens = StoredTokens(self._access, stores.grants, now, has_client=has_client, linked_key=linked_key)
        checker = ByForm(keys=keys, tokens=self.tokens)
        self.verifier = Verifier(checker, self.keys.revisions, ttl=remembered_seconds, wall=now)
        on_announcement(engine, self.verifier.look)
        self.signed_in = SignedIn(stores.sessions, ReturnUrls(sealer), settings, activity)
        self.password_links = PasswordLinks(stores.accounts, sealer, settings.site_url, mail)
        self.password = PasswordSignIn(stores.accounts, stores.failures)
        self._devices = Devices(stores.devices, stores.failures, self._access, sealer, settings)
        self._issued = IssuedTokens(stores.grants, stores.devices, self._access, settings, self._clients.has, activity)
        routes = [*asset_routes(), jwks_route(self.keys, now), *self._browser_routes(), *self._machine_routes()]
        self.routes: Sequence[Route] = gated(routes, gate, lambda shown: self._issued.owner(shown, now()))
        self.chores: Sequence[Chore] = [self.keys.prepare, stores.drop_expired]

    def _browser_routes(self) -> list[Route]:
        settings, stores, pages, now = self.settings, self.stores, self.pages, self._now
        authorization = Authorization(self._clients, self.sealer, settings)
        consents = Consents(stores.consents, stores.grants, settings)
        asking = AskingApp(authorization, self._logos, pages, now)
        external = ExternalSignIn(_providers(settings), stores.identities, stores.grants, self.sealer, settings)
        passwords = PasswordPages(pages, self.signed_in, self.password, self.password_links, now)
        forgot = None if self.password_links.mail is None else ASK_PATH
        consent = ConsentPage(authorization, consents, asking, self.signed_in, pages, settings, now)
        login = pages, self.signed_in, self.password, self.passkeys, external, settings, asking.behind, now, forgot
        return [
            *short_routes(),
            *consent.routes,
            *asking.routes,
            *Login(*login).routes,
            *passwords.routes,
            *Callback(pages, self.signed_in, external, consent.refused_address, now).routes,
            *DeviceEndpoints(self._devices, self._authenticate, self.signed_in, pages, settings, now).routes,
        ]

    def _machine_routes(self) -> list[Route]:
        settings, stores, activity, now = self.settings, self.stores, self.activity, self._now
        grant_types = GrantTypes(stores.grants, self._access, settings, activity)
        flows: dict[str, TokenFlow] = {
            "authorization_code": grant_types.authorization_code,
            "refresh_token": grant_types.refresh_token,
            "client_credentials": grant_types.client_credentials,
            DEVICE_CODE: self._devices.exchange,
        }
        secret = settings.introspection_secret
        return [
            *document_routes(server_metadata(settings), *PATHS),
            register_route(Registration(stores.clients, settings), now, activity),
            *TokenEndpoints(self._authenticate, flows, self._issued, stores.clients, secret, now, activity).routes,
        ]


def _providers(settings: OAuthSettings) -> list[Provider]:
    if settings.oidc is None and settings.supabase is None:
        return []
    client = ProviderClient(over_tls())
    providers: list[Provider] = []
    if settings.oidc is not None:
        providers.append(OidcProvider(settings.oidc, redirect_uri(settings, "oidc"), client))
    if settings.supabase is not None:
        providers.append(SupabaseProvider(settings.supabase, redirect_uri(settings, "supabase"), client))
    return providers

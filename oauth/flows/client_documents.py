"""Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document-02): the client's id is an address.

The host of that address vouches for the client, and whoever names an address makes us ask for it. So the asking
goes through the guarded HTTP client, follows no redirect, reads 5 kB, and is limited for each caller and each host.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from oauth.errors import InvalidClient, InvalidClientMetadata, InvalidRedirectUri, UnreadableDocument, UnusableDocument
from oauth.grants import AuthMethod, Client
from oauth.primitives import client_metadata, redirects
from oauth.primitives.address_limit import AddressLimit, network_key
from oauth.primitives.client_metadata import OFFERED, ClientMetadata
from oauth.primitives.fetching import CachedFetch, Fetch, Fetched, FetchFailed, FetchRefused, TooLarge, lifetime
from oauth.primitives.parameters import read_object
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

MAX_URL = 1_024  # as long as the column for ids
MAX_DOCUMENT = 5_120  # section 8.7
PATIENCE = 5.0  # seconds; the clients themselves wait ten
OK, MISSING, GONE, HOST_ERROR = 200, 404, 410, 500
METHODS: frozenset[AuthMethod] = frozenset({"none", "private_key_jwt"})
SECRETS = frozenset({"client_secret", "client_secret_expires_at"})
"""A secret that everybody can read is none (section 4.1)."""


OF_HOST, OF_SOURCE = 120, 20
"""Fetches a minute: from one host for all callers, and for one caller. A document that was read before has a count of
its own: what strangers make up about its host or behind its client's address takes nothing from it."""
SHORTEST = timedelta(minutes=1)
"""One sign-in asks for the document five times, and whole offices sign in through one address. All of a minute is one
use of one answer, whatever its headers say: the draft allows bounds of one's own. It forbids to keep errors."""
LONGEST = timedelta(hours=12)


class ClientDocuments:
    """Clients that describe themselves at their own address; `store` ends the grants of those that are gone."""

    def __init__(self, fetch: Fetch, settings: OAuthSettings, store: ClientStore) -> None:
        self._fetch, self._settings, self._store = fetch, settings, store
        self._documents = CachedFetch(self._load)
        minute = timedelta(minutes=1)
        # One caller reaches its own limit long before that of the host, which is there for everybody's clients.
        self._of_host, self._of_source = AddressLimit(OF_HOST, minute), AddressLimit(OF_SOURCE, minute)

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client that the document at this address describes; `place` is the address of who asks.

        A document whose host cannot be reached serves as it was read last, for a day.

        Raises `InvalidClient`: the address is not one of a document; `UnusableDocument`: the document there breaks a
        rule, or is not fetched from here; `UnreadableDocument`: it cannot be read now; `TemporarilyUnavailable`: too
        many are being read at the moment; `TooManyRequests`: this caller, or everybody together for this host, has
        asked too often; `StoreUnavailable`: the grants of a client that is gone could not be ended.
        """
        host = self._host(client_id)
        try:
            return await self._documents.get(client_id, now, admit=lambda: self._admit(client_id, host, now, place))
        except FetchRefused:
            raise UnusableDocument("The client_id leads to an address that is not fetched from here.", host) from None
        except InvalidClient as broken:
            raise UnusableDocument(str(broken), host) from None
        except FetchFailed:
            raise UnreadableDocument(host) from None

    def _admit(self, client_id: str, host: str, now: datetime, place: str) -> None:
        is_known = self._documents.holds(client_id)
        source = network_key(place) if place and not is_known else client_id
        self._of_source.check(source, now)
        if not is_known:
            self._of_host.count(host, now)
        self._of_source.count(source, now)  # last: a fetch that the host may not have is none

    def _host(self, client_id: str) -> str:
        """The host of an address that may be a client's id (section 3)."""
        malformed = InvalidClient("The client_id is not the https address of a metadata document, with a path.")
        try:
            redirects.check_redirect(client_id, ())
        except InvalidRedirectUri:
            raise malformed from None
        parts = urlsplit(client_id)
        is_allowed = parts.scheme == "https" or parts.netloc in self._settings.fetch_allow_hosts
        if len(client_id) > MAX_URL or parts.path in {"", "/"} or not is_allowed:
            raise malformed
        return parts.hostname or ""

    async def _load(self, url: str, now: datetime) -> tuple[Client, timedelta]:
        try:
            fetched = await self._fetch(url, max_bytes=MAX_DOCUMENT, seconds=PATIENCE)
        except TooLarge:
            raise InvalidClient(f"The metadata document is larger than {MAX_DOCUMENT} bytes.") from None
        # Section 5: every other status is an error, redirects among them. Only an error of the host is an outage.
        if fetched.status == GONE:  # a 404 may be a mishap, this is meant (RFC 9110 section 15.5.11)
            await self._store.end_grants(url, now)
        if fetched.status in {MISSING, GONE}:
            raise InvalidClient("There is no metadata document at the client_id.")
        if fetched.status >= HOST_ERROR:
            raise FetchFailed(f"status {fetched.status}")
        if fetched.status != OK:
            raise UnreadableDocument(self._host(url))
        client = self._client(url, _object(fetched), now)
        return client, min(max(lifetime(fetched.headers), SHORTEST), LONGEST)

    def _client(self, url: str, words: Mapping[str, Any], now: datetime) -> Client:
        if words.get("client_id") != url:  # byte for byte: an equal address is not the same client
            raise InvalidClient("The client_id in the metadata document is not its address.")
        if SECRETS & words.keys():
            raise InvalidClient("The metadata document contains a client secret.")
        # The type is not judged here: a host vouches for this client, and command lines on loopback say "web" too.
        described = {name: value for name, value in words.items() if name != "application_type"}
        try:
            metadata = client_metadata.read(described, self._settings.private_schemes)
            grant_types = client_metadata.grant_types(metadata, OFFERED)
        except (InvalidRedirectUri, InvalidClientMetadata) as refused:
            raise InvalidClient(f"The metadata document breaks a rule. {refused}") from None
        name, scopes = self._host(url), self._settings.scopes
        client = client_metadata.described_client(metadata, url, "document", now, name, scopes)
        logo = _own_logo(metadata.logo_uri, url)
        return replace(client, auth_methods=_auth_methods(metadata), grant_types=grant_types, logo_uri=logo)


def _object(fetched: Fetched) -> dict[str, Any]:
    kind = fetched.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise InvalidClient("The metadata document is not of the type application/json.")
    try:
        return read_object(fetched.body)
    except ValueError:
        raise InvalidClient("The metadata document is not one JSON object with each name once.") from None


def _own_logo(uri: str | None, document: str) -> str | None:
    """The logo, where it has the document's own origin: that host vouches for no other's pictures."""
    try:
        redirects.check_redirect(uri or "", ())
    except InvalidRedirectUri:
        return None
    return uri if urlsplit(uri or "")[:2] == urlsplit(document)[:2] else None


def _auth_methods(metadata: ClientMetadata) -> frozenset[AuthMethod]:
    """How it may authenticate: all that it lists, as ChatGPT does beside the single word of RFC 7591.

    One that lists nothing is public: the default of RFC 7591 is a shared secret, which a document cannot have.
    """
    single = metadata.token_endpoint_auth_method
    if single is not None and single not in METHODS:
        raise InvalidClient("The metadata document asks for a way to authenticate that it cannot have.")
    named = {*(metadata.token_endpoint_auth_methods_supported or []), *([single] if single else [])} or {"none"}
    methods = frozenset(method for method in METHODS if method in named)
    if not (metadata.jwks or metadata.jwks_uri):
        methods -= {"private_key_jwt"}
    if not methods:
        raise InvalidClient("The metadata document leaves no way to authenticate; it needs none, or keys.")
    return methods

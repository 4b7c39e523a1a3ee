"""Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document-02): the client's id is an address.

The host of that address vouches for the client, and whoever names an address makes us ask for it. So the asking
goes through the guarded way out, follows no redirect, reads 5 kB, and is limited for each asker and each host.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from oauth import client_metadata, redirects
from oauth.client_metadata import ClientMetadata
from oauth.display_names import may_imitate
from oauth.errors import InvalidClient, InvalidClientMetadata, InvalidRedirectUri, TemporarilyUnavailable
from oauth.fetching import Fetch, Fetched, FetchFailed, FetchRefused, TooLarge
from oauth.flows.address_limit import AddressLimit
from oauth.flows.remembered import Remembered
from oauth.freshness import lifetime
from oauth.grants import DEVICE_CODE, AuthMethod, Client, GrantType
from oauth.places import place_of
from oauth.settings import OAuthSettings
from oauth.strict_json import read_object

MAX_URL = 1_024  # as long as the column for ids
MAX_DOCUMENT = 5_120  # section 8.7
PATIENCE = 5.0  # seconds; the clients themselves wait ten
OK = 200
WITHDRAWN = frozenset({404, 410})
OFFERED: tuple[GrantType, ...] = ("authorization_code", "refresh_token", DEVICE_CODE)
METHODS: frozenset[AuthMethod] = frozenset({"none", "private_key_jwt"})
SECRETS = frozenset({"client_secret", "client_secret_expires_at"})
"""A secret that everybody can read is none (section 4.1)."""


OF_HOST, OF_PLACE = 120, 20
"""Fetches a minute: from one host for all askers, and for one asker."""


class ClientDocuments:
    """Clients that describe themselves at their own address."""

    def __init__(self, fetch: Fetch, settings: OAuthSettings) -> None:
        self._fetch, self._settings = fetch, settings
        self._documents = Remembered(self._load)
        minute = timedelta(minutes=1)
        # One asker reaches its own limit long before that of the host, which is there for everybody's clients.
        self._of_host, self._of_place = AddressLimit(OF_HOST, minute), AddressLimit(OF_PLACE, minute)

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client that the document at this address describes; `place` is the address of who asks.

        Raises:
            InvalidClient: the address is not one of a document, or the document there breaks a rule.
            TemporarilyUnavailable: it cannot be read now, and was not read lately.
            TooManyRequests: this asker, or everybody together for this host, has asked too often.

        """
        host = self._host(client_id)

        def admit() -> None:
            if place:
                self._of_place.count(place_of(place), now)
            self._of_host.count(host, now)

        try:
            metadata = await self._documents.get(client_id, now, admit=admit)
        except FetchRefused:
            raise InvalidClient("The client_id leads to an address that is not fetched from here.") from None
        except FetchFailed:
            raise TemporarilyUnavailable("The client's metadata document cannot be read now; try again.") from None
        return self._client(client_id, host, metadata, now)

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

    async def _load(self, url: str, now: datetime) -> tuple[ClientMetadata, timedelta]:
        try:
            fetched = await self._fetch(url, max_bytes=MAX_DOCUMENT, seconds=PATIENCE)
        except TooLarge:
            raise InvalidClient(f"The metadata document is larger than {MAX_DOCUMENT} bytes.") from None
        if fetched.status in WITHDRAWN:
            raise InvalidClient("There is no metadata document at the client_id.")
        if fetched.status != OK:  # section 5: every other status is an error, redirects among them
            raise FetchFailed(f"status {fetched.status}")
        words = _object(fetched)
        if words.get("client_id") != url:  # byte for byte: an equal address is not the same client
            raise InvalidClient("The client_id in the metadata document is not its address.")
        if SECRETS & words.keys():
            raise InvalidClient("The metadata document contains a client secret.")
        metadata = self._read(words)
        _auth_methods(metadata)
        return metadata, lifetime(fetched.headers, now)

    def _read(self, words: Mapping[str, Any]) -> ClientMetadata:
        # The type is not judged here: a host vouches for this client, and command lines on loopback say "web" too.
        described = {name: value for name, value in words.items() if name != "application_type"}
        try:
            metadata = client_metadata.read(described, self._settings.private_schemes)
            client_metadata.grant_types(metadata, OFFERED)
        except (InvalidRedirectUri, InvalidClientMetadata) as refused:
            raise InvalidClient(f"The metadata document breaks a rule. {refused.description}") from None
        return metadata

    def _client(self, client_id: str, host: str, metadata: ClientMetadata, now: datetime) -> Client:
        return Client(
            id=client_id,
            kind="document",
            name=client_metadata.clean_name(metadata.client_name) or host[: client_metadata.MAX_NAME],
            redirect_uris=tuple(metadata.redirect_uris),
            created_at=now,
            auth_methods=_auth_methods(metadata),
            grant_types=client_metadata.grant_types(metadata, OFFERED),
            scopes=self._settings.scopes,
            jwks=metadata.jwks,
            jwks_uri=metadata.jwks_uri,
            uri=client_metadata.safe_link(metadata.client_uri),
            imitates=may_imitate(metadata.client_name or ""),
        )


def _object(fetched: Fetched) -> dict[str, Any]:
    kind = fetched.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise InvalidClient("The metadata document is not of the type application/json.")
    try:
        return read_object(fetched.body)
    except ValueError:
        raise InvalidClient("The metadata document is not one JSON object with each name once.") from None


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

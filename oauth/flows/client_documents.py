"""Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document-02): the client's id is an address.

The host of that address vouches for the client, and whoever names an address makes us ask for it. So the asking
goes through the guarded HTTP client, follows no redirect, reads 5 kB, and is limited for each caller and each host.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from oauth.errors import (
    InvalidClient,
    InvalidClientMetadata,
    InvalidRedirectUri,
    TooManyRequests,
    UnreadableDocument,
    UnusableDocument,
)
from oauth.grants import DEVICE_CODE, AuthMethod, Client, GrantType
from oauth.primitives import client_metadata, redirects
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.cached_fetch import CachedFetch, lifetime
from oauth.primitives.client_metadata import ClientMetadata
from oauth.primitives.client_network_key import network_key
from oauth.primitives.display_names import may_imitate
from oauth.primitives.fetching import Fetch, Fetched, FetchFailed, FetchRefused, TooLarge
from oauth.primitives.strict_json import read_object
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

MAX_URL = 1_024  # as long as the column for ids
MAX_DOCUMENT = 5_120  # section 8.7
PATIENCE = 5.0  # seconds; the clients themselves wait ten
OK, MISSING, GONE, HOST_ERROR = 200, 404, 410, 500
OFFERED: tuple[GrantType, ...] = ("authorization_code", "refresh_token", DEVICE_CODE)
METHODS: frozenset[AuthMethod] = frozenset({"none", "private_key_jwt"})
SECRETS = frozenset({"client_secret", "client_secret_expires_at"})
"""A secret that everybody can read is none (section 4.1)."""


OF_HOST, OF_PLACE, OF_KNOWN = 120, 20, 20
"""Fetches a minute of documents that were never read: from one host for all callers, and for one caller. And of one
document that was read before: what strangers make up about its host takes nothing from it."""
SHORTEST = timedelta(minutes=1)
"""One sign-in asks for the document five times, and whole offices sign in through one address. All of a minute is one
use of one answer, whatever its headers say: the draft allows bounds of one's own. It forbids to keep errors."""
LONGEST = timedelta(hours=12)
"""Asked for again well before a sign-in would need to be told that it was not read for a day."""
SERVES_NEW = timedelta(days=1)
"""For which a document whose host cannot be reached still begins new authorizations."""


class ClientDocuments:
    """Clients that describe themselves at their own address; `kept` are those that have tokens."""

    def __init__(self, fetch: Fetch, settings: OAuthSettings, kept: ClientStore) -> None:
        self._fetch, self._settings, self._kept = fetch, settings, kept
        self._documents = CachedFetch(self._load, stale=timedelta())
        minute = timedelta(minutes=1)
        # One caller reaches its own limit long before that of the host, which is there for everybody's clients.
        self._of_host, self._of_place = AddressLimit(OF_HOST, minute), AddressLimit(OF_PLACE, minute)
        self._of_known = AddressLimit(OF_KNOWN, minute)

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client that the document at this address describes; `place` is the address of who asks.

        Raises `InvalidClient`: the address is not one of a document; `UnusableDocument`: the document there breaks a
        rule, or is not fetched from here; `UnreadableDocument`: it cannot be read now, and was not read within
        `SERVES_NEW`; `TemporarilyUnavailable`: too many are being read at the moment; `TooManyRequests`: this caller,
        or everybody together for this host, has asked too often; `StoreUnavailable`: what is kept of it could not be
        read or corrected.
        """
        return await self._find(client_id, now, place, now - SERVES_NEW)

    async def find_known(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The same, for what a client does with a grant: what is kept serves for as long as the store keeps it."""
        return await self._find(client_id, now, place, None)

    async def _find(self, client_id: str, now: datetime, place: str, since: datetime | None) -> Client:
        host = self._host(client_id)
        try:
            return await self._read_or_remembered(client_id, host, now, place)
        except FetchRefused:
            raise UnusableDocument("The client_id leads to an address that is not fetched from here.", host) from None
        except InvalidClient as broken:
            raise UnusableDocument(broken.description, host) from None
        except FetchFailed:
            found = await self._stand_in(client_id, now)
        if found is None or (since is not None and _read_at(found) <= since):
            raise UnreadableDocument(host)
        return found

    async def _read_or_remembered(self, client_id: str, host: str, now: datetime, place: str) -> Client:
        def admit_known() -> None:
            self._of_known.count(client_id, now)

        def admit_unknown() -> None:
            if place:
                self._of_place.check(network_key(place), now)
            self._of_host.count(host, now)
            if place:  # last: a fetch that the host may not have is none
                self._of_place.count(network_key(place), now)

        is_known = self._documents.last(client_id) is not None
        try:
            return await self._documents.get(client_id, now, admit=admit_known if is_known else admit_unknown)
        except TooManyRequests:
            kept = await self._kept.find_document(client_id, now)
            if kept is None or kept.refused_at is not None:
                raise
            return await self._documents.get(client_id, now, admit=admit_known)

    async def _stand_in(self, client_id: str, now: datetime) -> Client | None:
        """What was read last, here or in another process, unless the document was refused since."""
        here, kept = self._documents.last(client_id), await self._kept.find_document(client_id, now)
        if kept is None:
            # Without tokens there is nothing to keep; what this process remembers is for new authorizations.
            return here if here is not None and _read_at(here) > now - SERVES_NEW else None
        if here is None or _read_at(here) <= max(_read_at(kept.client), kept.refused_at or _read_at(kept.client)):
            here = None if kept.refused_at is not None else kept.client
        if here is not None:
            self._documents.hold_off(client_id, here, now)
        return here

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
        # In the flight itself, so that a caller who hangs up leaves nothing standing that was refused or changed.
        try:
            client, fresh = await self._fetched(url, now)
        except (InvalidClient, FetchRefused) as refusal:
            await self._kept.refuse_document(url, now, is_gone=isinstance(refusal, _Gone))
            raise
        await self._kept.renew_document(client, now)
        return client, min(max(fresh, SHORTEST), LONGEST)

    async def _fetched(self, url: str, now: datetime) -> tuple[Client, timedelta]:
        try:
            fetched = await self._fetch(url, max_bytes=MAX_DOCUMENT, seconds=PATIENCE)
        except TooLarge:
            raise InvalidClient(f"The metadata document is larger than {MAX_DOCUMENT} bytes.") from None
        _check_status(fetched.status, self._host(url))
        words = _object(fetched)
        if words.get("client_id") != url:  # byte for byte: an equal address is not the same client
            raise InvalidClient("The client_id in the metadata document is not its address.")
        if SECRETS & words.keys():
            raise InvalidClient("The metadata document contains a client secret.")
        metadata = self._read(words)
        return self._client(url, metadata, now), lifetime(fetched.headers, now)

    def _read(self, words: Mapping[str, Any]) -> ClientMetadata:
        # The type is not judged here: a host vouches for this client, and command lines on loopback say "web" too.
        described = {name: value for name, value in words.items() if name != "application_type"}
        try:
            metadata = client_metadata.read(described, self._settings.private_schemes)
            client_metadata.grant_types(metadata, OFFERED)
        except (InvalidRedirectUri, InvalidClientMetadata) as refused:
            raise InvalidClient(f"The metadata document breaks a rule. {refused.description}") from None
        return metadata

    def _client(self, client_id: str, metadata: ClientMetadata, now: datetime) -> Client:
        host = urlsplit(client_id).hostname or ""
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


class _Gone(InvalidClient):
    """The host says that the document is gone for good."""


def _check_status(status: int, host: str) -> None:
    """Let 200 pass (section 5: every other status is an error, redirects among them).

    Only an error of the host is an outage. A 404 may be a mishap, a 410 is meant (RFC 9110 section 15.5.11).
    """
    if status == GONE:
        raise _Gone("There is no metadata document at the client_id any more.")
    if status == MISSING:
        raise InvalidClient("There is no metadata document at the client_id.")
    if status >= HOST_ERROR:
        raise FetchFailed(f"status {status}")
    if status != OK:
        raise UnreadableDocument(host)


def _read_at(client: Client) -> datetime:
    """When the document was read: a client that was kept holds it apart from when it was first seen."""
    return client.last_used_at or client.created_at


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

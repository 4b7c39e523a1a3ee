"""Every client behind one question, whoever vouches for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from oauth.errors import InvalidClient, InvalidClientMetadata, InvalidRedirectUri, Unacceptable
from oauth.flows.client_assertions import has_usable_key
from oauth.flows.client_documents import ClientDocuments
from oauth.grants import AuthMethod, Client
from oauth.primitives import client_metadata, secrets
from oauth.primitives.client_metadata import AUTH_METHODS, GRANT_TYPES, SECRET_METHODS, ClientMetadata
from oauth.primitives.clock import EPOCH
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

ID_FORM = re.compile(r"[\x21-\x7e]{1,1024}")
MIN_SECRET = 32

NAMED = "ES256 (P-256), or for PS256 and RS256 (RSA of at least 2048 bits)"


def configured_clients(settings: OAuthSettings) -> dict[str, Client]:
    """The clients of `settings.clients` by id.

    Raises `Unacceptable`: one of them breaks a rule; the message names it, and never its secret.
    """
    clients: dict[str, Client] = {}
    for words in settings.clients:
        client = _client(words, settings)
        if client.id in clients:
            raise Unacceptable(f"The configured client {client.id} is there twice.")
        clients[client.id] = client
    return clients


def _client(words: Mapping[str, Any], settings: OAuthSettings) -> Client:
    client_id = words.get("client_id")
    if not isinstance(client_id, str) or not ID_FORM.fullmatch(client_id):
        raise Unacceptable("A configured client needs a client_id of printable ASCII without spaces.")
    try:
        metadata = client_metadata.read(words, settings.private_schemes)
        types = client_metadata.grant_types(metadata, GRANT_TYPES)
        secret = _secret(words)
        methods = _auth_methods(metadata, secret)
    except (InvalidRedirectUri, InvalidClientMetadata) as refused:
        raise Unacceptable(f"The configured client {client_id}: {refused}") from None
    if metadata.jwks is not None and not has_usable_key(metadata.jwks):
        raise Unacceptable(f"The configured client {client_id}: none of its jwks is a public key for {NAMED}.")
    if "client_credentials" in types and "none" in methods:
        raise Unacceptable(f"The configured client {client_id} needs a secret or keys for client_credentials.")
    scopes = _scopes(metadata, client_id, settings)
    client = client_metadata.described_client(metadata, client_id, "configured", EPOCH, client_id, scopes)
    digest = secrets.digest(secret) if secret else None
    return replace(client, auth_methods=methods, grant_types=types, secret_digest=digest)


def _secret(words: Mapping[str, Any]) -> str | None:
    secret = words.get("client_secret")
    if secret is not None and (not isinstance(secret, str) or len(secret) < MIN_SECRET):
        raise InvalidClientMetadata(f"The client_secret must have at least {MIN_SECRET} characters.")
    return secret


def _auth_methods(metadata: ClientMetadata, secret: str | None) -> frozenset[AuthMethod]:
    """The method that is named; else both ways to show a secret, the keys, or none, by what the client has."""
    has_keys = bool(metadata.jwks or metadata.jwks_uri)
    named = metadata.token_endpoint_auth_method
    if named is None:
        if secret:
            return SECRET_METHODS
        return frozenset({"private_key_jwt"} if has_keys else {"none"})
    methods = frozenset(method for method in AUTH_METHODS if method == named)
    if not methods or bool(methods & SECRET_METHODS) != bool(secret) or ("private_key_jwt" in methods and not has_keys):
        raise InvalidClientMetadata("The token_endpoint_auth_method does not go with what the client has.")
    return methods


def _scopes(metadata: ClientMetadata, client_id: str, settings: OAuthSettings) -> frozenset[str]:
    """Unlike for other clients this is a limit: here it is not the client that says it, but who answers for it."""
    asked = frozenset((metadata.scope or "").split(" ")) - {"", "offline_access"}
    if unknown := sorted(asked - settings.scopes):
        raise Unacceptable(f"The configured client {client_id}: there is no scope {unknown[0]!r}.")
    return asked or settings.scopes


REGISTERED_FORM = re.compile(r"client_[0-9a-f]{32}")


class Clients:
    def __init__(
        self, store: ClientStore, documents: ClientDocuments, settings: OAuthSettings, built_in: Sequence[Client] = ()
    ) -> None:
        """Read the configured ones; the `built_in` are as good as these, and an operator may replace them.

        Raises `Unacceptable`: one of them breaks a rule.
        """
        self._configured = {client.id: client for client in built_in} | configured_clients(settings)
        self._store, self._documents = store, documents

    def has(self, client_id: str) -> bool:
        """Whether there can be a client of this id: one that was only ever configured ends with its entry."""
        return client_id in self._configured or _is_address(client_id) or bool(REGISTERED_FORM.fullmatch(client_id))

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        """The client of this id; `place` is the address of who asks, for the limit on fetches.

        Raises `InvalidClient`: there is none, or it is revoked or expired; `TemporarilyUnavailable`: its metadata
        document cannot be read now; `TooManyRequests`: too many documents are asked for.
        """
        if client_id in self._configured:
            return self._configured[client_id]
        if _is_address(client_id):
            return await self._documents.find(client_id, now, place)
        # What has not the form of an id of ours is not looked up: a database need not see what strangers make up.
        found = await self._store.find_client(client_id, now) if REGISTERED_FORM.fullmatch(client_id) else None
        if found is None:
            raise InvalidClient("No client has this client_id. Register again, and begin anew.")
        return found


def _is_address(client_id: str) -> bool:
    return client_id.startswith(("https://", "http://"))

"""Dynamic client registration (RFC 7591): anybody may register, so a registration grants nothing.

What protects people is the consent page, which shows where a code goes. Here is only decided what may be
registered at all, and that strangers cannot fill the store: identical registrations are one, those that nobody
uses expire, and each address has a limit.
"""

import json
import secrets as randomness
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from oauth.errors import InvalidClientMetadata
from oauth.grants import AuthMethod, Client
from oauth.primitives import client_metadata, redirects, scopes, secrets
from oauth.primitives.address_limit import network_key
from oauth.primitives.client_metadata import OFFERED, SECRET_METHODS, ClientMetadata
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

AS_SAID = {"redirect_uris", "application_type", "contacts", "software_id", "software_version", "jwks", "jwks_uri"}
LINKS = {"client_uri", "logo_uri", "policy_uri", "tos_uri"}


@dataclass(frozen=True, slots=True)
class Registered:
    """A registration as it is answered. `secret` is known at this moment only."""

    client: Client
    metadata: Mapping[str, Any]
    secret: str | None = field(default=None, repr=False)


class Registration:
    """Registers clients. How many may come from one address is the gate's to say."""

    def __init__(self, store: ClientStore, settings: OAuthSettings) -> None:
        self._store, self._settings = store, settings

    async def register(self, words: Mapping[str, Any], address: str, now: datetime) -> Registered:
        """The client that describes itself with `words`; the same words from the same place are the same client.

        A client with a secret is always a new one: the secret of the first cannot be shown a second time, and
        must not be, as two that say the same words need not be one.

        Raises `InvalidRedirectUri`: a redirect URI is missing or not acceptable; `InvalidClientMetadata`: anything else
        is not.
        """
        metadata = client_metadata.read(words, self._settings.private_schemes)
        answer = self._answer(metadata)
        client = self._client(metadata, answer, now)
        if not SECRET_METHODS & client.auth_methods:
            return Registered(
                await self._store.register(client, _fingerprint(answer, address, imitates=client.imitates), now), answer
            )
        secret = randomness.token_urlsafe(32)
        client = replace(client, secret_digest=secrets.digest(secret))
        return Registered(await self._store.register(client, None, now), answer, secret)

    def _answer(self, metadata: ClientMetadata) -> dict[str, Any]:
        """The metadata as we keep to it (RFC 7591 section 3.2.1): what is not offered is left out."""
        types = client_metadata.grant_types(metadata, OFFERED)
        asked = frozenset((metadata.scope or "").split(" ")) & self._settings.scopes
        values = {
            **metadata.model_dump(include=AS_SAID),
            "client_name": client_metadata.clean_name(metadata.client_name),
            "grant_types": [grant for grant in OFFERED if grant in types],
            "response_types": ["code"] if "authorization_code" in types else [],
            "token_endpoint_auth_method": _auth_method(metadata),
            "scope": scopes.written(asked),
            **{name: client_metadata.safe_link(link) for name, link in metadata.model_dump(include=LINKS).items()},
        }
        return {name: value for name, value in values.items() if value}

    def _client(self, metadata: ClientMetadata, answer: Mapping[str, Any], now: datetime) -> Client:
        """All scopes are within its reach: a client registers once, and learns later, step by step, what it needs."""
        client_id, uris = f"client_{randomness.token_hex(16)}", metadata.redirect_uris
        name = redirects.redirect_host(uris[0]) if uris else "a device"  # Claude registers without a name
        return replace(
            client_metadata.described_client(metadata, client_id, "registered", now, name, self._settings.scopes),
            auth_methods=frozenset({_auth_method(metadata)}),
            grant_types=frozenset(answer["grant_types"]),
            expires_at=now + self._settings.unused_client,
        )


def _auth_method(metadata: ClientMetadata) -> AuthMethod:
    """Public when it does not say: such clients run where a secret is none, and the answer tells them so."""
    asked = metadata.token_endpoint_auth_method or "none"
    method = next((known for known in client_metadata.AUTH_METHODS if known == asked), None)
    if method is None:
        raise InvalidClientMetadata("Choose none, client_secret_basic, client_secret_post or private_key_jwt.")
    if method == "private_key_jwt" and not (metadata.jwks or metadata.jwks_uri):
        raise InvalidClientMetadata("With private_key_jwt goes jwks or jwks_uri.")
    return method


def _fingerprint(answer: Mapping[str, Any], address: str, *, imitates: bool) -> str:
    """What is registered and from where; the order of what is a set does not count."""
    canonical = {
        name: sorted(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value
        for name, value in answer.items()
    }
    return secrets.digest(json.dumps([network_key(address), canonical, imitates], sort_keys=True))

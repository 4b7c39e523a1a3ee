"""The words of delegation: clients, what a person allowed them, and the tokens that come of it.

Nothing here shows a secret or its digest when it is printed. Every `digest` is SHA-256 in hex of what the
client holds; the thing itself is known only at the moment when it is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

ClientKind = Literal["configured", "registered", "document"]
AuthMethod = Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
GrantType = Literal[
    "authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"
]
DEVICE_CODE: GrantType = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(frozen=True, slots=True)
class Client:
    """Software that may ask for tokens (RFC 7591 section 2).

    Attributes:
        kind: who vouches for it: our configuration, itself by registration, or the host of its document's URL.
        auth_methods: those with which it may authenticate at the token endpoint; `none` makes it public.
        scopes: what it may ask for at most.
        expires_at: when an unused registration goes; None for one in use and for all others.
        imitates: whether the name as it came may have been made to be taken for another's; `name` is made clean.
        logo_uri: at the very origin of its metadata document; None for whoever has no such document.

    """

    id: str
    kind: ClientKind
    name: str
    redirect_uris: tuple[str, ...]
    created_at: datetime
    auth_methods: frozenset[AuthMethod] = frozenset({"none"})
    grant_types: frozenset[GrantType] = frozenset({"authorization_code", "refresh_token"})
    scopes: frozenset[str] = frozenset()
    secret_digest: str | None = field(default=None, repr=False)
    jwks: Mapping[str, Any] | None = None
    jwks_uri: str | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    imitates: bool = False
    logo_uri: str | None = None

    @property
    def is_public(self) -> bool:
        return "none" in self.auth_methods

    @property
    def verified_host(self) -> str | None:
        """The host that vouches for the name: of a metadata document's own URL. Nobody vouches for a registration."""
        return urlsplit(self.id).hostname if self.kind == "document" else None


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A checked request for authorization, on its way through sign-in and consent (RFC 6749 section 4.1.1).

    It travels sealed in the address, so that tabs do not meet and abandoned ones cost nothing; `id` is spent
    once, when its code is made or refused.
    """

    id: str
    client_id: str
    redirect_uri: str
    redirect_given: bool
    challenge: str
    state: str | None
    scopes: frozenset[str]
    resource: str
    prompt: frozenset[str]
    issued_at: datetime
    asked: str = ""
    """The words of its `scope` that are not among `scopes`: nobody can have them here."""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser. Its cookie holds the secret, the store the digest; `browser` is what it calls itself."""

    digest: str = field(repr=False)
    user_id: str
    signed_in_at: datetime
    expires_at: datetime
    last_seen_at: datetime | None = None
    browser: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody as an identity provider knows them: the pair is the key, the address never is."""

    issuer: str
    subject: str
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person allowed a client once, so that it need not be asked again."""

    user_id: str
    client_id: str
    redirect_host: str
    scopes: frozenset[str]
    granted_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Grant:
    """One delegation and the family of all tokens that descend from it.

    Attributes:
        user_id: None when the client acts for itself (client_credentials).
        resource: the canonical URL that the tokens are for.
        expires_at: the absolute end of the family, however often it is refreshed.
        asked: all the words that were asked for, granted or not: a client repeats them when it refreshes.

    """

    id: str
    user_id: str | None
    client_id: str
    client_name: str
    redirect_host: str | None
    scopes: frozenset[str]
    resource: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    revoked_reason: str | None = None
    last_used_at: datetime | None = None
    asked: str = ""

    @property
    def subject(self) -> str:
        """What `sub` says: the account, or the client that acts for itself (RFC 9068 section 2.2)."""
        return self.user_id or self.client_id


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code: used once, and bound to all that the request said."""

    digest: str = field(repr=False)
    grant_id: str
    client_id: str
    redirect_uri: str
    redirect_given: bool
    challenge: str
    scopes: frozenset[str]
    resource: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """One of a family. `successor` is sealed under a key that only the holder of this token can derive."""

    digest: str = field(repr=False)
    grant_id: str
    created_at: datetime
    expires_at: datetime
    rotated_at: datetime | None = None
    successor: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Reused:
    """A code or refresh token was shown again after its use: its family is now revoked, and this is its grant."""

    grant_id: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """A refresh token was shown again within the grace: `successor`, sealed under it, is what it was answered."""

    successor: str


DeviceStatus = Literal["pending", "approved", "denied", "used"]


@dataclass(frozen=True, slots=True)
class Device:
    """A device that waits for a person elsewhere (RFC 8628). `interval` is in seconds, `asked` as in `Grant`."""

    digest: str = field(repr=False)
    user_code_digest: str = field(repr=False)
    client_id: str
    client_name: str
    scopes: frozenset[str]
    resource: str
    created_at: datetime
    expires_at: datetime
    interval: int
    status: DeviceStatus = "pending"
    user_id: str | None = None
    last_poll_at: datetime | None = None
    imitates: bool = False
    asked: str = ""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key pair for access tokens. Published before it signs, and until the last token of it has expired."""

    kid: str
    private: str = field(repr=False)
    """Sealed."""
    public: Mapping[str, Any]
    signs_from: datetime
    signs_until: datetime
    published_until: datetime


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a token request is answered with: the only moment at which they are known. Grant and user are not told."""

    access_token: str = field(repr=False)
    expires_in: int
    scopes: frozenset[str]
    refresh_token: str | None = field(default=None, repr=False)
    grant_id: str | None = None
    user_id: str | None = None

"""The words of the authorization server: accounts, API keys, and who a credential turned out to belong to.

Nothing here shows a secret or its hash when it is printed; `tests/oauth/test_models.py` keeps it so.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import SecretStr

KeyState = Literal["active", "expired", "revoked", "user disabled"]


@dataclass(frozen=True, slots=True)
class User:
    """An account of the embedded sign-in. `email` is folded: what two spellings of one address share."""

    id: str
    email: str
    created_at: datetime
    password_hash: str | None = field(default=None, repr=False)
    disabled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of an API key. The key itself is shown once, when it is made, and never stored."""

    id: str
    user_id: str
    name: str
    prefix: str
    last4: str
    digest: str = field(repr=False)
    scopes: frozenset[str]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    rotated_from: str | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key at the only moment when its secret is known."""

    key: ApiKey
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OwnedKey:
    """A key with its account, read in one statement so that both are of the same moment."""

    key: ApiKey
    user: User

    def state(self, now: datetime) -> KeyState:
        if self.key.revoked_at is not None:
            return "revoked"
        if self.key.expires_at is not None and self.key.expires_at <= now:
            return "expired"
        return "active" if self.user.disabled_at is None else "user disabled"


@dataclass(frozen=True, slots=True)
class Passkey:
    """A credential of WebAuthn with which an account signs in. Its private key never leaves the authenticator.

    Attributes:
        credential_id: the authenticator's name for it, in base64url; `id` is ours.
        public_key: in COSE.
        sign_count: of its last use; 0 where the authenticator does not count.
        transports: how a browser reaches the authenticator, space-separated; hints for browsers.

    """

    id: str
    user_id: str
    credential_id: str = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int
    name: str
    transports: str
    created_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """Who presents a credential and what it allows."""

    subject: str
    """The account's id: what limits, audit rows and ownership are keyed by."""
    scopes: frozenset[str]
    client_id: str
    """The key's id; the OAuth client of an access token."""
    kind: Literal["api_key", "access_token"] = "api_key"
    expires_at: datetime | None = None
    audience: str | None = None
    """The resource that an access token is for; None for a key, which is good at all of them."""
    linked_key: SecretStr | None = None
    """The key of the real internal API that the account of an access token has linked."""

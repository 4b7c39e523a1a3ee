"""The tables of the authorization server. STORAGE.md says what each value means and how long it lives."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Dialect, ForeignKey, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import LargeBinary, TypeDecorator, TypeEngine

from oauth.primitives.clock import EPOCH, MILLISECOND
from oauth.primitives.scopes import written


class Moment(TypeDecorator[datetime]):
    """A point in time, kept as milliseconds since 1970: the same on both databases, and it compares."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // MILLISECOND

    def process_result_value(self, value: Any, _dialect: Dialect) -> datetime | None:
        return None if value is None else EPOCH + value * MILLISECOND


class Scopes(TypeDecorator[frozenset[str]]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: frozenset[str] | None, _dialect: Dialect) -> str | None:
        return None if value is None else written(value)

    def process_result_value(self, value: Any, _dialect: Dialect) -> frozenset[str] | None:
        return None if value is None else frozenset(value.split())


metadata = MetaData()
CLIENT_ID = 1_024  # a metadata document's URL is the id of its client; an index of PostgreSQL takes 2,704 bytes

_Type = TypeEngine[Any] | type[TypeEngine[Any]]
DIGEST, UUID, CLIENT = String(64), String(36), String(CLIENT_ID)


def _required(**kinds: _Type) -> Iterator[Column[Any]]:
    return (Column(name, kind, nullable=False) for name, kind in kinds.items())


def _optional(**kinds: _Type) -> Iterator[Column[Any]]:
    return (Column(name, kind) for name, kind in kinds.items())


def _table(name: str, *items: SchemaItem, indexes: Sequence[str] = ()) -> Table:
    return Table(name, metadata, *items, *(Index(f"ix_{name}_{column}", column) for column in indexes))


users = _table(
    "users",
    Column("id", UUID, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    *_required(created_at=Moment),
    *_optional(password_hash=Text, disabled_at=Moment),
)

api_keys = _table(
    "api_keys",
    Column("id", String(25), primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    *_required(name=String(100), prefix=String(12), last4=String(4)),
    Column("digest", DIGEST, nullable=False, unique=True),
    *_required(scopes=Scopes, created_at=Moment),
    *_optional(expires_at=Moment, last_used_at=Moment, revoked_at=Moment),
    # Unique: a key has one successor, however many ask to rotate it at the same time.
    Column("rotated_from", String(25), ForeignKey("api_keys.id"), unique=True),
    indexes=("user_id",),
)

passkeys = _table(
    "passkeys",
    Column("id", UUID, primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    Column("credential_id", String(1_364), nullable=False, unique=True),  # 1,023 bytes at most (WebAuthn 4), base64url
    *_required(public_key=LargeBinary, sign_count=BigInteger, name=String(100), transports=String(100)),
    *_required(created_at=Moment),
    *_optional(last_used_at=Moment),
    indexes=("user_id",),
)

revisions = _table(
    "oauth_revisions", Column("name", String(32), primary_key=True), Column("value", BigInteger, nullable=False)
)

clients = _table(
    "oauth_clients",
    Column("id", CLIENT, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("metadata", Text, nullable=False),  # JSON: a client without its secret, see stores/clients.py
    Column("secret_digest", DIGEST),
    Column("fingerprint", DIGEST, unique=True),  # what and from where: the same registration is the same client
    *_required(created_at=Moment),
    *_optional(expires_at=Moment, last_used_at=Moment, revoked_at=Moment),
    indexes=("expires_at",),
)

spent = _table(
    "oauth_spent",
    Column("digest", DIGEST, primary_key=True),
    Column("expires_at", Moment, nullable=False),
    indexes=("expires_at",),
)

sessions = _table(
    "oauth_sessions",
    Column("digest", DIGEST, primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    *_required(signed_in_at=Moment, expires_at=Moment),
    *_optional(last_seen_at=Moment, browser=String(64)),
    indexes=("expires_at", "user_id"),
)

identities = _table(
    "oauth_identities",
    Column("issuer", String(512), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    Column("email", String(254)),
    Column("created_at", Moment, nullable=False),
    indexes=("user_id",),
)

consents = _table(
    "oauth_consents",
    Column("user_id", UUID, ForeignKey("users.id"), primary_key=True),
    Column("client_id", CLIENT, primary_key=True),
    Column("redirect_host", String(255), primary_key=True),
    *_required(scopes=Scopes, granted_at=Moment, expires_at=Moment),
)

grants = _table(
    "oauth_grants",
    Column("id", UUID, primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id")),
    *_required(client_id=CLIENT, client_name=String(200), scopes=Scopes, resource=Text),
    *_required(created_at=Moment, expires_at=Moment),
    *_optional(redirect_host=String(255), last_used_at=Moment, revoked_at=Moment, revoked_reason=String(64)),
    Column("asked", Text, nullable=False, server_default=""),
    indexes=("user_id", "client_id", "expires_at"),
)

codes = _table(
    "oauth_codes",
    Column("digest", DIGEST, primary_key=True),
    Column("grant_id", UUID, ForeignKey("oauth_grants.id"), nullable=False),
    *_required(client_id=CLIENT, redirect_uri=Text, redirect_given=Boolean, challenge=String(128)),
    *_required(scopes=Scopes, resource=Text, expires_at=Moment),
    *_optional(used_at=Moment),
    indexes=("expires_at", "grant_id"),
)

refresh_tokens = _table(
    "oauth_refresh_tokens",
    Column("digest", DIGEST, primary_key=True),
    Column("grant_id", UUID, ForeignKey("oauth_grants.id"), nullable=False),
    *_required(created_at=Moment, expires_at=Moment),
    *_optional(rotated_at=Moment),
    Column("successor", Text),  # sealed under the token itself, which is not kept
    indexes=("grant_id", "expires_at"),
)

devices = _table(
    "oauth_devices",
    Column("digest", DIGEST, primary_key=True),
    Column("user_code_digest", DIGEST, nullable=False, unique=True),
    *_required(client_id=CLIENT, client_name=String(200), scopes=Scopes, resource=Text),
    *_required(status=String(16), interval=Integer, imitates=Boolean, created_at=Moment, expires_at=Moment),
    *_optional(last_poll_at=Moment),
    Column("user_id", UUID, ForeignKey("users.id")),
    Column("asked", Text, nullable=False, server_default=""),
    indexes=("expires_at",),
)

signing_keys = _table(
    "oauth_signing_keys",
    Column("kid", String(64), primary_key=True),
    Column("private", Text, nullable=False),  # sealed
    Column("public", Text, nullable=False),  # a JWK
    *_required(signs_from=Moment, signs_until=Moment, published_until=Moment),
    # One key for each span of time, however many processes notice at once that it is wanted.
    Index("ux_oauth_signing_keys_signs_from", "signs_from", unique=True),
)

linked_keys = _table(
    "oauth_linked_keys",
    Column("user_id", UUID, ForeignKey("users.id"), primary_key=True),
    *_required(sealed=Text, last4=String(4), created_at=Moment),
)

failures = _table(
    "oauth_failures",
    Column("id", UUID, primary_key=True),
    Column("place", DIGEST, nullable=False),  # of what is throttled: an address, an e-mail, a user code
    Column("at", Moment, nullable=False),
    Index("ix_oauth_failures_place_at", "place", "at"),
    indexes=("at",),
)

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


def _required(kind: _Type, *names: str) -> Iterator[Column[Any]]:
    return (Column(name, kind, nullable=False) for name in names)


def _optional(kind: _Type, *names: str) -> Iterator[Column[Any]]:
    return (Column(name, kind) for name in names)


def _table(name: str, *items: SchemaItem, indexes: Sequence[str] = ()) -> Table:
    return Table(name, metadata, *items, *(Index(f"ix_{name}_{column}", column) for column in indexes))


users = _table(
    "users",
    Column("id", UUID, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", Text),
    Column("created_at", Moment, nullable=False),
    Column("disabled_at", Moment),
)

api_keys = _table(
    "api_keys",
    Column("id", String(25), primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    Column("name", String(100), nullable=False),
    Column("prefix", String(12), nullable=False),
    Column("last4", String(4), nullable=False),
    Column("digest", DIGEST, nullable=False, unique=True),
    Column("scopes", Scopes, nullable=False),
    Column("created_at", Moment, nullable=False),
    *_optional(Moment, "expires_at", "last_used_at", "revoked_at"),
    # Unique: a key has one successor, however many ask to rotate it at the same time.
    Column("rotated_from", String(25), ForeignKey("api_keys.id"), unique=True),
    indexes=("user_id",),
)

passkeys = _table(
    "passkeys",
    Column("id", UUID, primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id"), nullable=False),
    Column("credential_id", String(1_364), nullable=False, unique=True),  # 1,023 bytes at most (WebAuthn 4), base64url
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("name", String(100), nullable=False),
    Column("transports", String(100), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("last_used_at", Moment),
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
    Column("created_at", Moment, nullable=False),
    *_optional(Moment, "expires_at", "last_used_at", "revoked_at"),
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
    *_required(Moment, "signed_in_at", "expires_at"),
    Column("last_seen_at", Moment),
    Column("browser", String(64)),
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
    Column("scopes", Scopes, nullable=False),
    *_required(Moment, "granted_at", "expires_at"),
)

grants = _table(
    "oauth_grants",
    Column("id", UUID, primary_key=True),
    Column("user_id", UUID, ForeignKey("users.id")),
    Column("client_id", CLIENT, nullable=False),
    Column("client_name", String(200), nullable=False),
    Column("redirect_host", String(255)),
    Column("scopes", Scopes, nullable=False),
    Column("resource", Text, nullable=False),
    *_required(Moment, "created_at", "expires_at"),
    *_optional(Moment, "revoked_at", "last_used_at"),
    Column("revoked_reason", String(64)),
    Column("asked", Text, nullable=False, server_default=""),
    indexes=("user_id", "client_id", "expires_at"),
)

codes = _table(
    "oauth_codes",
    Column("digest", DIGEST, primary_key=True),
    Column("grant_id", UUID, ForeignKey("oauth_grants.id"), nullable=False),
    Column("client_id", CLIENT, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("redirect_given", Boolean, nullable=False),
    Column("challenge", String(128), nullable=False),
    Column("scopes", Scopes, nullable=False),
    Column("resource", Text, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("used_at", Moment),
    indexes=("expires_at", "grant_id"),
)

refresh_tokens = _table(
    "oauth_refresh_tokens",
    Column("digest", DIGEST, primary_key=True),
    Column("grant_id", UUID, ForeignKey("oauth_grants.id"), nullable=False),
    *_required(Moment, "created_at", "expires_at"),
    Column("rotated_at", Moment),
    Column("successor", Text),  # sealed under the token itself, which is not kept
    indexes=("grant_id", "expires_at"),
)

devices = _table(
    "oauth_devices",
    Column("digest", DIGEST, primary_key=True),
    Column("user_code_digest", DIGEST, nullable=False, unique=True),
    Column("client_id", CLIENT, nullable=False),
    Column("client_name", String(200), nullable=False),
    Column("scopes", Scopes, nullable=False),
    Column("resource", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("user_id", UUID, ForeignKey("users.id")),
    *_required(Moment, "created_at", "expires_at"),
    Column("last_poll_at", Moment),
    Column("interval", Integer, nullable=False),
    Column("imitates", Boolean, nullable=False),
    Column("asked", Text, nullable=False, server_default=""),
    indexes=("expires_at",),
)

signing_keys = _table(
    "oauth_signing_keys",
    Column("kid", String(64), primary_key=True),
    Column("private", Text, nullable=False),  # sealed
    Column("public", Text, nullable=False),  # a JWK
    *_required(Moment, "signs_from", "signs_until", "published_until"),
    # One key for each span of time, however many processes notice at once that it is wanted.
    Index("ux_oauth_signing_keys_signs_from", "signs_from", unique=True),
)

linked_keys = _table(
    "oauth_linked_keys",
    Column("user_id", UUID, ForeignKey("users.id"), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("last4", String(4), nullable=False),
    Column("created_at", Moment, nullable=False),
)

failures = _table(
    "oauth_failures",
    Column("id", UUID, primary_key=True),
    Column("place", DIGEST, nullable=False),  # of what is throttled: an address, an e-mail, a user code
    Column("at", Moment, nullable=False),
    Index("ix_oauth_failures_place_at", "place", "at"),
    indexes=("at",),
)

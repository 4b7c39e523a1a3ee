"""The tables of the gatehouse. STORAGE.md says what each value means and how long it lives."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Dialect, ForeignKey, Index, MetaData, String, Table, Text
from sqlalchemy.types import TypeDecorator

from oauth.primitives.clock import EPOCH, MILLISECOND


class Moment(TypeDecorator[datetime]):
    """A point in time, kept as milliseconds since 1970: the same on both databases, and it compares."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        del dialect
        return None if value is None else (value - EPOCH) // MILLISECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        del dialect
        return None if value is None else EPOCH + value * MILLISECOND


metadata = MetaData()

users = Table(
    "users",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", Text),
    Column("created_at", Moment, nullable=False),
    Column("disabled_at", Moment),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(25), primary_key=True),
    Column("user_id", String(36), ForeignKey("users.id"), nullable=False),
    Column("name", String(100), nullable=False),
    Column("prefix", String(12), nullable=False),
    Column("last4", String(4), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("last_used_at", Moment),
    Column("revoked_at", Moment),
    # Unique: a key has one successor, however many ask to rotate it at the same time.
    Column("rotated_from", String(25), ForeignKey("api_keys.id"), unique=True),
    Index("ix_api_keys_user_id", "user_id"),
)

revisions = Table(
    "oauth_revisions",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

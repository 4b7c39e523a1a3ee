"""Accounts, their API keys, and the counter that tells other processes of a revocation."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
        sa.Column("password_hash", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("disabled_at", sa.BigInteger),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(25), primary_key=True),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("prefix", sa.String(12), nullable=False),
        sa.Column("last4", sa.String(4), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
        sa.Column("rotated_from", sa.String(25), sa.ForeignKey("api_keys.id"), unique=True),
    )
    op.create_index("ix_api_keys_user_id", "api_keys", ["user_id"])
    revisions = op.create_table(
        "oauth_revisions",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(revisions, [{"name": "keys", "value": 0}])


def downgrade() -> None:
    op.drop_table("oauth_revisions")
    op.drop_table("api_keys")
    op.drop_table("users")

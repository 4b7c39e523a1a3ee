"""Delegation: clients, sessions, consents, grants and all that descends from them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _clients()
    _people()
    _tokens()
    _others()
    revisions = sa.table("oauth_revisions", sa.column("name", sa.String), sa.column("value", sa.BigInteger))
    op.bulk_insert(revisions, [{"name": "grants", "value": 0}, {"name": "signing_keys", "value": 0}])


def _clients() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.String(1_024), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("secret_digest", sa.String(64)),
        sa.Column("fingerprint", sa.String(64), unique=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_index("ix_oauth_clients_expires_at", "oauth_clients", ["expires_at"])
    op.create_table(
        "oauth_spent",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_oauth_spent_expires_at", "oauth_spent", ["expires_at"])


def _people() -> None:
    op.create_table(
        "oauth_sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("signed_in_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_oauth_sessions_expires_at", "oauth_sessions", ["expires_at"])
    op.create_index("ix_oauth_sessions_user_id", "oauth_sessions", ["user_id"])
    op.create_table(
        "oauth_identities",
        sa.Column("issuer", sa.String(512), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("email", sa.String(254)),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_oauth_identities_user_id", "oauth_identities", ["user_id"])
    op.create_table(
        "oauth_consents",
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("client_id", sa.String(1_024), primary_key=True),
        sa.Column("redirect_host", sa.String(255), primary_key=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("granted_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )


def _tokens() -> None:
    op.create_table(
        "oauth_grants",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id")),
        sa.Column("client_id", sa.String(1_024), nullable=False),
        sa.Column("client_name", sa.String(200), nullable=False),
        sa.Column("redirect_host", sa.String(255)),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
        sa.Column("revoked_reason", sa.String(64)),
        sa.Column("last_used_at", sa.BigInteger),
    )
    op.create_index("ix_oauth_grants_user_id", "oauth_grants", ["user_id"])
    op.create_index("ix_oauth_grants_client_id", "oauth_grants", ["client_id"])
    op.create_index("ix_oauth_grants_expires_at", "oauth_grants", ["expires_at"])
    op.create_table(
        "oauth_codes",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("grant_id", sa.String(36), sa.ForeignKey("oauth_grants.id"), nullable=False),
        sa.Column("client_id", sa.String(1_024), nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("redirect_given", sa.Boolean, nullable=False),
        sa.Column("challenge", sa.String(128), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("used_at", sa.BigInteger),
    )
    op.create_index("ix_oauth_codes_expires_at", "oauth_codes", ["expires_at"])
    op.create_index("ix_oauth_codes_grant_id", "oauth_codes", ["grant_id"])
    op.create_table(
        "oauth_refresh_tokens",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("grant_id", sa.String(36), sa.ForeignKey("oauth_grants.id"), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("rotated_at", sa.BigInteger),
        sa.Column("successor", sa.Text),
    )
    op.create_index("ix_oauth_refresh_tokens_grant_id", "oauth_refresh_tokens", ["grant_id"])
    op.create_index("ix_oauth_refresh_tokens_expires_at", "oauth_refresh_tokens", ["expires_at"])


def _others() -> None:
    op.create_table(
        "oauth_devices",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("user_code_digest", sa.String(64), nullable=False, unique=True),
        sa.Column("client_id", sa.String(1_024), nullable=False),
        sa.Column("client_name", sa.String(200), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id")),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("last_poll_at", sa.BigInteger),
        sa.Column("interval", sa.Integer, nullable=False),
        sa.Column("imitates", sa.Boolean, nullable=False),
    )
    op.create_index("ix_oauth_devices_expires_at", "oauth_devices", ["expires_at"])
    op.create_table(
        "oauth_signing_keys",
        sa.Column("kid", sa.String(64), primary_key=True),
        sa.Column("private", sa.Text, nullable=False),
        sa.Column("public", sa.Text, nullable=False),
        sa.Column("signs_from", sa.BigInteger, nullable=False),
        sa.Column("signs_until", sa.BigInteger, nullable=False),
        sa.Column("published_until", sa.BigInteger, nullable=False),
    )
    op.create_index("ux_oauth_signing_keys_signs_from", "oauth_signing_keys", ["signs_from"], unique=True)
    op.create_table(
        "oauth_linked_keys",
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("last4", sa.String(4), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )

    op.create_table(
        "oauth_failures",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_oauth_failures_place_at", "oauth_failures", ["place", "at"])
    op.create_index("ix_oauth_failures_at", "oauth_failures", ["at"])
    op.create_table(
        "oauth_activity",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("user_id", sa.String(36), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("client_id", sa.String(1_024)),
        sa.Column("outcome", sa.String(64), nullable=False),
        sa.Column("client_name", sa.String(200)),
    )
    op.create_index("ix_oauth_activity_user_id_at", "oauth_activity", ["user_id", "at"])
    op.create_index("ix_oauth_activity_at", "oauth_activity", ["at"])


def downgrade() -> None:
    op.execute("DELETE FROM oauth_revisions WHERE name IN ('grants', 'signing_keys')")
    for table in (
        "oauth_activity",
        "oauth_failures",
        "oauth_linked_keys",
        "oauth_signing_keys",
        "oauth_devices",
        "oauth_refresh_tokens",
        "oauth_codes",
        "oauth_grants",
        "oauth_consents",
        "oauth_identities",
        "oauth_sessions",
        "oauth_spent",
        "oauth_clients",
    ):
        op.drop_table(table)

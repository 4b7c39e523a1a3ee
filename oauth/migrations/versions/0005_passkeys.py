"""Passkeys: a person signs in with an authenticator instead of a password. They are there already in a new database."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("user_id", sa.String(36), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("credential_id", sa.String(1364), nullable=False, unique=True),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("transports", sa.String(100), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.BigInteger),
        if_not_exists=True,
    )
    op.create_index("ix_passkeys_user_id", "passkeys", ["user_id"], if_not_exists=True)


def downgrade() -> None:
    op.drop_table("passkeys")

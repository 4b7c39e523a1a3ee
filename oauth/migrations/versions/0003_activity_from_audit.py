"""What happened in whose name is read from the audit log now."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.drop_table("oauth_activity")


def downgrade() -> None:
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

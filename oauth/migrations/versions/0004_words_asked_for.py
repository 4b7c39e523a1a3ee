"""The words that a client asked for, which it repeats when it refreshes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    for table in ("oauth_grants", "oauth_devices"):
        op.add_column(table, sa.Column("asked", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("oauth_grants", "oauth_devices"):
        op.drop_column(table, "asked")

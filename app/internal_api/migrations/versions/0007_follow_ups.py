"""Which earlier question one follows up on."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("questions", sa.Column("follow_up_of", sa.String(36)))

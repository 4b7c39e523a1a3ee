"""Who coded an answer by hand, when, and what its status and value were before."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("answers", sa.Column("coded", sa.JSON, nullable=True))

"""Why no language model coded the answers to an open question."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("questions", sa.Column("coding_failure", sa.JSON))

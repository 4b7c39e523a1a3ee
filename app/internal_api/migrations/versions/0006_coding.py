"""Codes of open answers, stances, coding by hand, what a question cost, and what a caller's own model replied."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("questions", sa.Column("codebook", sa.JSON))
    op.add_column("questions", sa.Column("usage", sa.JSON))
    op.add_column("questions", sa.Column("sampled", sa.JSON))
    op.add_column("answers", sa.Column("codes", sa.JSON))
    op.add_column("answers", sa.Column("stance", sa.String(16)))
    op.add_column("answers", sa.Column("coded", sa.JSON))

"""Codes of open answers with each answer's stance, and who coded an answer by hand, when, and what was there before."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("questions", sa.Column("codebook", sa.JSON))
    op.add_column("answers", sa.Column("codes", sa.JSON))
    op.add_column("answers", sa.Column("stance", sa.String(16)))
    op.add_column("answers", sa.Column("coded", sa.JSON))

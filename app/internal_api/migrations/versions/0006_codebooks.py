"""Codes of open answers: the codebook of a question, and each answer's codes and stance."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("questions", sa.Column("codebook", sa.JSON))
    op.add_column("answers", sa.Column("codes", sa.JSON))
    op.add_column("answers", sa.Column("stance", sa.String(16)))

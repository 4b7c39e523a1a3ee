"""Rows of the audit log, and where their chains are."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "audit_rows",
        sa.Column("chain", sa.String(40), primary_key=True),
        sa.Column("seq", number, primary_key=True, autoincrement=False),
        sa.Column("time", sa.String(27), nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(300)),
        sa.Column("row", sa.Text, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ix_audit_rows_subject_time", "audit_rows", ["subject", "time"])
    op.create_index("ix_audit_rows_time", "audit_rows", ["time"])
    op.create_index("ix_audit_rows_event", "audit_rows", ["event"])
    op.create_table(
        "audit_chains",
        sa.Column("chain", sa.String(40), primary_key=True),
        sa.Column("seq", number, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("quiet", sa.Boolean, nullable=False),
        sa.Column("time", sa.String(27), nullable=False),
    )
    op.create_index("ix_audit_chains_time", "audit_chains", ["time"])


def downgrade() -> None:
    op.drop_table("audit_chains")
    op.drop_table("audit_rows")

"""Nothing asks for the rows of an account by time alone any more, and each row paid for the index."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # Quick however large the table is; on PostgreSQL it waits for the transactions under way, which are short.
    op.drop_index("ix_audit_rows_subject_time", "audit_rows", if_exists=True)


def downgrade() -> None:
    op.create_index("ix_audit_rows_subject_time", "audit_rows", ["subject", "time"])

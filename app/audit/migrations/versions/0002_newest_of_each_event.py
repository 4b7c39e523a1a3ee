"""The newest rows of each event of an account, which its page shows, are read from an index and nowhere else."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_audit_rows_subject_event_time", "audit_rows", ["subject", "event", "time"])
    # Nothing asks for an account's rows of all events; each index is paid for by every row that is written.
    op.drop_index("ix_audit_rows_subject_time", "audit_rows")


def downgrade() -> None:
    op.create_index("ix_audit_rows_subject_time", "audit_rows", ["subject", "time"])
    op.drop_index("ix_audit_rows_subject_event_time", "audit_rows")

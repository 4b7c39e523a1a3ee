"""The newest rows of each event of an account, which its page shows, are read from an index and nowhere else."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Of a large table an operator may have made it before, CONCURRENTLY, while the version before this one served.
    op.create_index("ix_audit_rows_subject_event_time", "audit_rows", ["subject", "event", "time"], if_not_exists=True)


def downgrade() -> None:
    op.drop_index("ix_audit_rows_subject_event_time", "audit_rows")

"""What a request with an idempotency key asked for, so that its key is not taken for another request's."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # Empty in older rows: their keys go on to be repeated with any body, for the day that they are remembered.
    op.add_column("minds", sa.Column("idempotency_digest", sa.String(64)))
    op.add_column("audiences", sa.Column("idempotency_digest", sa.String(64)))


def downgrade() -> None:
    op.drop_column("audiences", "idempotency_digest")
    op.drop_column("minds", "idempotency_digest")

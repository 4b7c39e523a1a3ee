"""Why a source was refused, as a stable word beside the sentence: of an item, and of a training that knew no other."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("knowledge_items", sa.Column("error_code", sa.String(32)))
    op.add_column("training_jobs", sa.Column("error_reason", sa.String(32)))


def downgrade() -> None:
    op.drop_column("training_jobs", "error_reason")
    op.drop_column("knowledge_items", "error_code")

"""The tables as they are declared. A later migration must also hold where they were made from a later declaration."""

from alembic import op

from app.audit.database import metadata

revision = "0002"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())

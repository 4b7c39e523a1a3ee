"""The tables as they are declared. A later migration must also hold where they were made from a later declaration."""

from alembic import op

from oauth.stores.tables import metadata, revisions

revision = "0004"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())
    op.bulk_insert(revisions, [{"name": name, "value": 0} for name in ("keys", "grants", "signing_keys")])

"""When a browser session was last seen, and in which browser. The first migration makes the columns of a new table."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    held = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("oauth_sessions")}
    for column in (sa.Column("last_seen_at", sa.BigInteger), sa.Column("browser", sa.String(64))):
        if column.name not in held:
            op.add_column("oauth_sessions", column)

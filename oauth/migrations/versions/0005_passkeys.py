"""Passkeys: a person signs in with an authenticator instead of a password. They are there already in a new database."""

from alembic import op

from oauth.stores.tables import passkeys

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    passkeys.create(op.get_bind(), checkfirst=True)

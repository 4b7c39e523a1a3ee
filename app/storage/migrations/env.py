"""Alembic's entry: `app.storage.migrate` hands over the open connection and the name of the version table."""

from alembic import context

attributes = context.config.attributes
context.configure(
    connection=attributes["connection"],
    version_table=attributes["version_table"],
    transactional_ddl=False,  # the caller's transaction spans all histories
)
context.run_migrations()

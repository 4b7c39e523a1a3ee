"""Migrations by Alembic, which is imported, 5 MB, only where the schema is not the newest."""

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from app.storage.migrate import ENVIRONMENT, HISTORIES, SchemaTooOld

log = structlog.get_logger(__name__)


def upgrade_all(connection: Connection) -> None:
    """Apply what each history lacks. Raises `SchemaTooOld`."""
    for version_table, folder in HISTORIES.items():
        config = Config()
        config.set_main_option("script_location", str(ENVIRONMENT))
        config.set_main_option("path_separator", "newline")  # a folder's name may hold spaces
        config.set_main_option("version_locations", str(folder))
        config.attributes.update(connection=connection, version_table=version_table)
        history = ScriptDirectory.from_config(config)
        context = MigrationContext.configure(connection, opts={"version_table": version_table})
        reached = set(context.get_current_heads())  # none where the database is empty
        known = {script.revision for script in history.walk_revisions()}
        if reached <= known:
            command.upgrade(config, "head")
        elif max(reached) < min(known):
            raise SchemaTooOld(f"{version_table} is at {max(reached)}, before anything that this version can upgrade")
        else:
            # The version before this one was started again. A schema only grows, so it serves that version too.
            log.warning("schema_is_newer", history=version_table)

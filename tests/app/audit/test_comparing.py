"""Files and table beside each other, as a process wrote them."""

from pathlib import Path

from sqlalchemy import delete

from app.audit.comparing import compare
from app.audit.database import verify_table
from app.audit.opening import known_keys, open_recorder
from app.audit.tables import audit_rows
from app.storage.engine import open_engine
from app.storage.migrate import upgrade
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import verify_files
from mcp_server.audit.local import folder_of
from mcp_server.audit.verifying import Controls
from tests.edge import settings_for


async def test_a_row_that_only_the_files_have_is_missing_in_the_table(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    engine = open_engine(settings.database)
    await upgrade(engine)
    recorder = open_recorder(settings, engine, "test")
    async with recorder.running():
        recorder.record(Entry(Event.SIGN_IN))

    found = []
    for _ in range(2):
        files = verify_files(folder_of(tmp_path), Controls(known_keys(settings)))
        table = await verify_table(engine, Controls(known_keys(settings)))
        await compare(settings, engine, {"file": files, "database": table}, "~")
        found.append([[(fault.kind, fault.seq) for fault in report.faults] for report in (files, table)])
        async with engine.begin() as connection:
            await connection.execute(delete(audit_rows).where(audit_rows.c.seq > 0))
    await engine.dispose()

    assert found == [[[], []], [[], [("missing", 1)]]]

"""Files and table beside each other, as a process wrote them."""

from pathlib import Path

import pytest
from sqlalchemy import delete

from app.audit.database import audit_rows, verify_table
from app.audit.reading import compare, is_doubtful, is_missing
from app.audit.recording import known_keys, open_recorder
from app.storage.engine import open_engine
from app.storage.migrate import upgrade
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import folder_of, verify_files
from mcp_server.audit.verifying import ChainState, Controls
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


def moment(second: int) -> str:
    return f"2026-11-20T09:00:{second:02}.000000Z"


HERE = {"file": "here"}
ENDED = ChainState("c", places=HERE, last=moment(40), is_closed=True)
OPEN = ChainState("c", places=HERE, last=moment(40))


@pytest.mark.parametrize(
    ("event", "second", "own", "there", "since", "missing"),
    [
        ("signIn", 3, None, ENDED, "", True),
        ("auditAnchor", 3, None, ENDED, "", False),  # the log's own rows are of one place
        ("auditStart", 3, ChainState("c", last=moment(2)), ENDED, "", False),
        ("signIn", 3, ChainState("c", last=moment(3)), ENDED, "", False),
        ("signIn", 3, ChainState("c", last=moment(2)), ENDED, "", True),
        ("auditEnd", 40, ChainState("c", last=moment(50)), ENDED, "", True),
        ("signIn", 3, None, ENDED, moment(4), False),  # retention took it
        ("signIn", 3, None, OPEN, "", True),
        ("signIn", 35, None, OPEN, "", False),  # it may be on its way, or was when the process was killed
    ],
)
def test_what_comes_after_the_end_here_is_missing(
    event: str, second: int, own: ChainState | None, there: ChainState, since: str, missing: bool
) -> None:
    assert is_missing({"event": event, "time": moment(second)}, own, there, since, "~") is missing


def test_files_of_another_host_are_elsewhere_unless_nothing_is_here() -> None:
    assert is_doubtful(None, ENDED, "file", "here", has_any=True)
    assert not is_doubtful(None, ENDED, "file", "there", has_any=True)
    assert is_doubtful(None, ENDED, "file", "there", has_any=False)
    assert not is_doubtful(None, ChainState("c", last=moment(1)), "file", "here", has_any=True)
    assert not is_doubtful(ENDED, ENDED, "file", "here", has_any=True)

"""`audit`: read, check and export the audit log."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import verify_table
from app.audit.reading import FORMATS, LATE_SECONDS, Known, as_jsonl, compare, latest_in_table, read_rows, span
from app.audit.recording import known_keys
from app.commands.output import answer
from app.commands.work import Mistake, read_settings, run_on_engine
from app.settings import Settings
from mcp_server.audit.chain import instant
from mcp_server.audit.files import folder_of, verify_files
from mcp_server.audit.verifying import Controls, Report

FOLLOW_SECONDS = 1.0
SHOWN = ("subject", "client", "tool", "address", "reason")
SOURCES = click.Choice(["file", "database"])
MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z"])
source_option = click.option(
    "--source", type=SOURCES, help="The sink that is read; by default the first of AUDIT_SINK that can be."
)


@click.group
def audit() -> None:
    """The audit log: tail, verify, export."""


@audit.command
@click.option("-n", "most", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Rows to show.")
@click.option("--follow", is_flag=True, help="Go on with what is written from now on, until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print each row as a line of JSON.")
@source_option
def tail(most: int, source: str | None, *, follow: bool, as_json: bool) -> None:
    """Show the latest rows, oldest first."""
    settings = read_settings()
    where = _sources(settings, source, "read")[0]

    async def action(engine: AsyncEngine) -> None:
        rows = deque[Known](maxlen=most)
        if where == "database":
            rows.extend(await latest_in_table(engine, most))
        else:
            async for row in read_rows(settings, engine, where):
                rows.append(row)
        seen = _printed(rows, as_json=as_json)
        while follow:
            await asyncio.sleep(FOLLOW_SECONDS)
            since = seen[0] if seen is not None else ""
            news = [row async for row in read_rows(settings, engine, where, since) if seen is None or row.order > seen]
            seen = _printed(news, as_json=as_json) or seen

    with contextlib.suppress(KeyboardInterrupt):
        run_on_engine(settings, action)


@audit.command
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@source_option
def verify(source: str | None, *, as_json: bool) -> int:
    """Check every row of every sink that is kept here. Exit code 1 names the first altered, missing or moved row."""
    settings = read_settings()
    sources = _sources(settings, source, "verified")
    late = instant(time.time() - LATE_SECONDS)
    reports = {each: _verified(settings, each) for each in sources}
    if len(reports) > 1:
        run_on_engine(settings, lambda engine: compare(settings, engine, reports, late))
    text = "\n".join(line for each, report in reports.items() for line in _lines(each, report))
    answer({each: _as_json(report) for each, report in reports.items()}, text, as_json=as_json)
    return 1 if any(report.faults for report in reports.values()) else 0


@audit.command
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), default="jsonl", show_default=True, help="Form.")
@click.option("--since", type=MOMENT, help="From this moment on (UTC), such as 2026-11-20 or 2026-11-20T09:00:00Z.")
@click.option("--until", type=MOMENT, help="Up to this moment (UTC), itself not included.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format jsonl.")
@source_option
def export(form: str, since: datetime | None, until: datetime | None, source: str | None, *, as_json: bool) -> None:
    """Print rows in order of time, one a line: as JSON or CEF (SIEM)."""
    settings = read_settings()
    where = _sources(settings, source, "read")[0]
    write = FORMATS["jsonl" if as_json else form]
    moments = [each.replace(tzinfo=each.tzinfo or UTC) if each else None for each in (since, until)]

    async def action(engine: AsyncEngine) -> None:
        async for row in read_rows(settings, engine, where, *span(*moments)):
            click.echo(write(row.fields, row.hash))

    run_on_engine(settings, action)


def _printed(rows: Sequence[Known], *, as_json: bool) -> tuple[str, str, int] | None:
    """Print them, and tell which was the last."""
    for row in rows:
        fields = row.fields
        words = [fields["time"], fields["event"], fields["outcome"], *map(fields.get, SHOWN)]
        click.echo(
            as_jsonl(fields, row.hash) if as_json else "  ".join(str(word) for word in words if word is not None)
        )
    return rows[-1].order if rows else None


def _sources(settings: Settings, wanted: str | None, done: str) -> list[str]:
    kept = [wanted] if wanted else [str(each) for each in settings.audit_sink if each in SOURCES.choices]
    if not kept:
        raise Mistake(f"AUDIT_SINK: keeps nothing here that could be {done}; add file or database.")
    return kept


def _verified(settings: Settings, source: str) -> Report:
    controls = Controls(known_keys(settings))
    if source == "database":
        return run_on_engine(settings, lambda engine: verify_table(engine, controls))
    return verify_files(folder_of(settings.data_dir), controls)  # and without the database, which may be what is wrong


def _lines(source: str, report: Report) -> Iterator[str]:
    state, chains = "FAULTY" if report.faults else "whole", len(report.chains)
    yield f"{source}: {state}; {report.rows} rows in {chains} chains, {report.open_chains} of them not ended"
    if report.torn:
        yield f"  {report.torn} chains end in half a row: their processes were killed while writing"
    if report.gaps:
        yield f"  {report.gaps} events were lost by the log's own account, while a sink failed"
    for fault in report.faults:
        yield f"  {fault.kind}: {fault.place}: {fault.text}"


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "rows": report.rows,
        "chains": len(report.chains),
        "openChains": report.open_chains,
        "tornChains": report.torn,
        "lostEvents": report.gaps,
        "faults": [asdict(each) for each in report.faults],
    }

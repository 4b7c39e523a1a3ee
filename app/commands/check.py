"""`check`: everything that would keep a server from starting, found at once, without starting one."""

import asyncio
from dataclasses import asdict, replace

import click
from pydantic import ValidationError

from app.commands.output import answer
from app.commands.work import find_language_model, misspelt
from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.settings import EngineSettings
from app.process.start_checks import start_problems, start_warnings
from app.process.start_probes import Finding, language_model_findings, probe
from app.settings import Settings
from mcp_server.settings import settings_problems


@click.command()
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="As given to `serve`.")
@click.option("--json", "as_program", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def check(context: click.Context, workers: int, *, as_program: bool) -> None:
    """Try settings, folder, database, Redis, port and language model, and print what is wrong with each.

    Brings the schema of the database up to date, as a start does. The exit status is 0 when a server may start, 1 when
    it must not. Run it beside a running server, it finds the port in use.
    """
    try:
        settings = Settings()
        findings = findings_of(settings, workers)
        if settings.is_embedded and not any("LLM_" in str(finding) for finding in findings):
            find_language_model(settings)
            findings += asyncio.run(language_model_findings(create_engine(EngineSettings())))
    except ValidationError as error:  # nothing is tried while a setting has an impossible value
        findings = list(map(_finding, settings_problems(error)))
    findings += map(_finding, misspelt())
    stops = any(finding.stops for finding in findings)
    lines = [f"{'stops' if finding.stops else 'warns'}  {finding}" for finding in findings]
    lines.append("A server would not start." if stops else "A server would start.")
    answer({"ok": not stops, "findings": list(map(asdict, findings))}, "\n".join(lines), as_json=as_program)
    context.exit(1 if stops else 0)


def findings_of(settings: Settings, workers: int) -> list[Finding]:
    """What is wrong with these settings, and around them."""
    warnings = [replace(_finding(warning), stops=False) for warning in start_warnings(settings)]
    return [*map(_finding, start_problems(settings, workers)), *warnings, *asyncio.run(probe(settings))]


def _finding(problem: str) -> Finding:
    name, _, text = problem.partition(": ")
    return Finding(name, text) if text else Finding("settings", problem)

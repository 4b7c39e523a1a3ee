"""How the output of the suite is read. The program is replaced by a script; the rest is the real thing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import node
from tests.conformance import suite

REVISION = "2025-11-25"
URL = "http://127.0.0.1:1/mcp"
Judge = Callable[[str, int], suite.Verdict]


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judges with a program that prints what it is told and ends with a status."""
    monkeypatch.setattr(node, "program", lambda name: str(tmp_path / name))
    monkeypatch.setattr(suite, "required_scenarios", lambda _revision: frozenset({"ping", "tools-list"}))

    def run(output: str, status: int) -> suite.Verdict:
        (tmp_path / "output").write_text(output, "utf-8")
        program = tmp_path / "conformance"
        program.write_text(f"#!/bin/sh\ncat {tmp_path}/output\nexit {status}\n", "utf-8")
        program.chmod(0o755)
        return suite.judge("it", URL, REVISION, tmp_path / "baseline.yml", tmp_path)

    return run


PASSED = "=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n✓ tools-list: 3 passed, 0 failed\n✗ tasks: 1 passed, 8 failed\n"


def test_a_run_in_which_all_that_is_required_passes_is_passed(judged: Judge) -> None:
    verdict = judged(PASSED, 0)

    assert verdict.passed
    assert (verdict.scenarios, verdict.checks, verdict.optional_failures) == (2, 5, ("tasks",))


def test_an_unexpected_failure_is_told_with_its_checks(judged: Judge, tmp_path: Path) -> None:
    results = tmp_path / "server-ping-2026-01-01" / "checks.json"
    results.parent.mkdir()
    results.write_text(
        json.dumps([{"id": "late", "status": "FAILURE", "errorMessage": "no answer"}, {"id": "a", "status": "INFO"}])
    )

    verdict = judged(PASSED + "\n\x1b[31mUnexpected failures (not in baseline):\x1b[0m\n  ✗ ping\n", 1)

    assert verdict.faults == ("ping: late: no answer",)


@pytest.mark.parametrize(
    ("output", "status", "at_fault"),
    [
        (f"{PASSED}\nStale baseline entries (now passing - remove from baseline):\n  ✓ ping\n", 1, ["ping"]),
        ("=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n", 0, ["tools-list"]),
        (PASSED, 3, None),
    ],
    ids=["stale", "did not run", "no reason given"],
)
def test_what_is_stale_missing_or_fails_without_a_reason_does_not_pass(
    judged: Judge, output: str, status: int, at_fault: list[str] | None
) -> None:
    verdict = judged(output, status)

    assert not verdict.passed
    assert at_fault is None or [fault.partition(":")[0] for fault in verdict.faults] == at_fault


@pytest.mark.parametrize(("revision", "scenario"), [("2026-07-28", "server-stateless"), (REVISION, "ping")])
def test_the_required_scenarios_are_the_frozen_list_of_the_package(revision: str, scenario: str) -> None:
    assert scenario in suite.required_scenarios(revision)

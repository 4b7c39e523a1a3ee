"""How the suite's word on an authorization server is read. Its program is replaced by a script."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import node
from tests.conformance import authorization
from tests.conformance.authorization import Examined
from tests.conformance.person import Lost
from tests.conformance.suite import Verdict

REVISION = "2026-07-28"
EXAMINED = Examined("http://127.0.0.1:1", "app", 2)
METADATA, GRANT = "authorization-server-metadata-endpoint", "authorization-code-grant"
PASSED = {METADATA: "SUCCESS", GRANT: "SUCCESS"}
ADDRESS = f"{EXAMINED.site}/oauth/authorize?state=s"
Judge = Callable[..., Verdict]


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judges with a program that asks to open an address, leaves these results behind and ends with a status."""
    monkeypatch.setattr(node, "program", lambda name: str(tmp_path / name))

    def run(statuses: dict[str, str], status: int = 0, allow: authorization.Allow = lambda *_: None) -> Verdict:
        for scenario, outcome in statuses.items():
            leave(tmp_path / f"authorization-server-{scenario}-2026-11-20" / "checks.json", scenario, outcome)
        listed = "".join(f"  - {name} [{REVISION}]\n" for name in PASSED)
        program = tmp_path / "conformance"
        program.write_text(
            f'#!/bin/sh\nif [ "$1" = list ]; then printf "{listed}"; else echo "{ADDRESS}"; exit {status}; fi\n'
        )
        program.chmod(0o755)
        return authorization.judge_authorization("it", EXAMINED, REVISION, allow, tmp_path)

    return run


def leave(path: Path, scenario: str, outcome: str) -> None:
    check: dict[str, Any] = {"id": f"{scenario}-check", "status": outcome}
    path.parent.mkdir()
    path.write_text(json.dumps([check]), "utf-8")


def test_a_run_in_which_every_check_succeeds_is_passed(judged: Judge) -> None:
    verdict = judged(PASSED)

    assert verdict.passed
    assert (verdict.scenarios, verdict.checks) == (2, 2)


def test_a_person_opens_the_address_that_the_suite_prints(judged: Judge) -> None:
    opened: list[tuple[str, str]] = []

    judged(PASSED, allow=lambda address, callback: opened.append((address, callback)))

    assert opened == [(ADDRESS, "http://127.0.0.1:2/callback")]


@pytest.mark.parametrize("outcome", ["FAILURE", "WARNING", "SKIPPED"])
def test_what_did_not_succeed_is_a_fault(judged: Judge, outcome: str) -> None:
    verdict = judged({**PASSED, GRANT: outcome})

    assert [fault.partition(":")[0] for fault in verdict.faults] == [GRANT]


def test_a_scenario_that_did_not_run_is_a_fault(judged: Judge) -> None:
    verdict = judged({METADATA: "SUCCESS"})

    assert [fault.partition(":")[0] for fault in verdict.faults] == [GRANT]
    assert verdict.scenarios == 1


def test_a_suite_that_ends_badly_does_not_pass(judged: Judge) -> None:
    assert not judged(PASSED, status=3).passed


def test_a_person_who_gets_lost_is_a_fault(judged: Judge) -> None:
    def lose_the_way(_address: str, _callback: str) -> None:
        raise Lost("a page without a form")

    assert len(judged(PASSED, allow=lose_the_way).faults) == 1


def test_the_package_has_scenarios_for_authorization_servers() -> None:
    assert set(authorization.listed_scenarios(REVISION)) >= PASSED.keys()

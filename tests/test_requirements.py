"""The manifest: every requirement has a test or a reason, and every test that names one names a real one."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS, Requirement

ROOT = Path(__file__).resolve().parent.parent
MODULE = re.compile(r"\b(?:app|mcp_server|oauth)/[\w/]+\.py\b")


def claims(source: str) -> list[str]:
    """The ids in `@pytest.mark.requirement(…)` above the tests of one file."""
    tests = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )
    marks = (
        mark
        for test in tests
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.requirement"
    )
    return [ast.literal_eval(argument) for mark in marks for argument in mark.args]


def fault(requirement: Requirement, claimed: bool) -> str:
    reasons = [reason.strip() for reason in (requirement.deferred, requirement.superseded) if reason.strip()]
    if len(reasons) + claimed > 1:
        return "must be one of tested, deferred and superseded"
    if not claimed and not reasons:
        return "is neither tested nor given a reason"
    return ""


@pytest.fixture(scope="module")
def claimed() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "node_modules" not in path.parts:
            for id_ in claims(path.read_text(encoding="utf-8")):
                found.setdefault(id_, []).append(path.relative_to(ROOT).as_posix())
    return found


def test_every_requirement_has_a_test_or_a_reason_and_every_claim_names_one(claimed: dict[str, list[str]]) -> None:
    found = {requirement.id: fault(requirement, requirement.id in claimed) for requirement in REQUIREMENTS}

    assert {id_: wrong for id_, wrong in found.items() if wrong} == {}
    assert {id_: files for id_, files in claimed.items() if id_ not in found} == {}


def test_every_entry_is_complete_and_none_stands_twice() -> None:
    for requirement in REQUIREMENTS:
        assert re.fullmatch(r"[a-z]+(:[A-Za-z0-9./-]+)+", requirement.id)
        assert re.fullmatch(r"[a-z-]+#[a-z-]+", requirement.source)
        assert len(requirement.behaviour.split()) > 1
    for values in ([r.id for r in REQUIREMENTS], [r.behaviour for r in REQUIREMENTS]):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_a_reason_names_only_modules_that_exist() -> None:
    named = {
        module: requirement.id
        for requirement in REQUIREMENTS
        for module in MODULE.findall(requirement.deferred + " " + requirement.superseded)
    }

    assert {module: id_ for module, id_ in named.items() if not (ROOT / module).is_file()} == {}

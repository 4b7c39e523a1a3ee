"""The manifest: every requirement has a test or a reason, and every test that names one names a real one."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
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


def faults(requirements: Iterable[Requirement], claimed: set[str]) -> dict[str, str]:
    """What is wrong with each requirement, given what the tests claim."""
    found = {requirement.id: fault(requirement, requirement.id in claimed) for requirement in requirements}
    return {id_: wrong for id_, wrong in found.items() if wrong}


def fault(requirement: Requirement, claimed: bool) -> str:
    reasons = [reason.strip() for reason in (requirement.deferred, requirement.superseded) if reason.strip()]
    if len(reasons) + claimed > 1:
        return "must be one of tested, deferred and superseded"
    if not claimed and not reasons:
        return "is neither tested nor given a reason"
    return ""


def unknown(requirements: Iterable[Requirement], claimed: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The ids that tests claim and the manifest does not have, with the files that claim them."""
    known = {requirement.id for requirement in requirements}
    return {id_: files for id_, files in claimed.items() if id_ not in known}


@pytest.fixture(scope="module")
def claimed() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "node_modules" not in path.parts:
            for id_ in claims(path.read_text(encoding="utf-8")):
                found.setdefault(id_, []).append(path.relative_to(ROOT).as_posix())
    return found


def test_every_requirement_has_a_test_or_a_reason_and_never_both(claimed: dict[str, list[str]]) -> None:
    assert faults(REQUIREMENTS, set(claimed)) == {}


def test_every_claim_names_a_known_requirement(claimed: dict[str, list[str]]) -> None:
    assert unknown(REQUIREMENTS, claimed) == {}


def test_no_id_and_no_sentence_stands_twice() -> None:
    ids = Counter(requirement.id for requirement in REQUIREMENTS)
    sentences = Counter(requirement.behaviour for requirement in REQUIREMENTS)

    assert [id_ for id_, n in ids.items() if n > 1] == []
    assert [sentence for sentence, n in sentences.items() if n > 1] == []


def test_every_entry_is_complete() -> None:
    for requirement in REQUIREMENTS:
        assert re.fullmatch(r"[a-z]+(:[A-Za-z0-9./-]+)+", requirement.id)
        assert re.fullmatch(r"[a-z-]+#[a-z-]+", requirement.source)
        assert len(requirement.behaviour.split()) > 1


def test_a_reason_names_only_modules_that_exist() -> None:
    named = {
        module: requirement.id
        for requirement in REQUIREMENTS
        for module in MODULE.findall(requirement.deferred + " " + requirement.superseded)
    }

    assert {module: id_ for module, id_ in named.items() if not (ROOT / module).is_file()} == {}

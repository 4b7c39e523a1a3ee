"""The security matrix: every row has a test that bears its id, and every test that bears one bears one of a row."""

import ast
import re
from pathlib import Path

import pytest

from tests.requirements.security_matrix import ROWS

ROOT = Path(__file__).resolve().parent.parent


def marks(tree: ast.AST) -> list[str]:
    """The ids in `pytest.mark.security(…)`."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = [call for call in calls if ast.unparse(call.func) == "pytest.mark.security"]
    return [ast.literal_eval(argument) for call in found for argument in call.args]


def claims(source: str) -> list[str]:
    """The ids that the tests of one file bear: each for itself, or all of them by `pytestmark`."""
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    everywhere = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]
    ]
    marked = [mark for test in tests for mark in test.decorator_list] + (everywhere if tests else [])
    return [id_ for mark in marked for id_ in marks(mark)]


@pytest.fixture(scope="module")
def claimed() -> set[str]:
    paths = [path for path in (ROOT / "tests").rglob("test_*.py") if "node_modules" not in path.parts]
    return {id_ for path in paths for id_ in claims(path.read_text(encoding="utf-8"))}


def test_every_row_has_a_test_and_every_test_of_a_row_names_one(claimed: set[str]) -> None:
    assert sorted(set(ROWS) - claimed) == []
    assert sorted(claimed - set(ROWS)) == []


def test_no_row_stands_twice_and_each_has_the_form_of_an_id() -> None:
    assert len(set(ROWS)) == len(ROWS)
    assert all(re.fullmatch(r"[A-Z]{2}-\d\d", row) for row in ROWS)

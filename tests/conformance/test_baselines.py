"""What the product is excused from is reviewed: each entry says which fixture it lacks, and that fixture exists."""

import re
from pathlib import Path

import pytest
import yaml

from tests.conformance.__main__ import HERE, REVISIONS
from tests.conformance.fixtures import asking, content, input_required, notices
from tests.conformance.fixtures.prompts import PROMPTS
from tests.conformance.fixtures.resources import STATIC, TEMPLATE

REASON = re.compile(r"needs a test_\* fixture: |needs a test (prompt|resource): |only a warning: sessions are optional")
TOOLS = {tool.name for tool in content.TOOLS + notices.TOOLS + asking.TOOLS + input_required.TOOLS}
SERVED = TOOLS | PROMPTS.keys() | STATIC.keys() | {TEMPLATE.uri_template}


def entries(path: Path) -> list[tuple[str, str]]:
    """Each entry and its comment."""
    found = re.findall(r"^  - (\S+)(?: # (.*))?$", path.read_text("utf-8"), re.MULTILINE)
    assert [entry for entry, _comment in found] == yaml.safe_load(path.read_text("utf-8"))["server"]
    return found


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_product_is_excused_only_for_lack_of_a_fixture_that_there_is(revision: str) -> None:
    reviewed = entries(HERE / f"product-baseline-{revision}.yml")
    named = set(re.findall(r"test_[a-z0-9]\w*|test://[^\s;]+", " ".join(comment for _entry, comment in reviewed)))

    assert [entry for entry, comment in reviewed if not REASON.match(comment)] == []
    assert named
    assert named <= SERVED


def test_the_fixtures_are_excused_from_nothing() -> None:
    assert yaml.safe_load((HERE / "empty-baseline.yml").read_text("utf-8")) == {"server": []}


def test_without_sessions_only_questions_to_the_client_are_excused() -> None:
    reviewed = entries(HERE / "sessionless-baseline-2025-11-25.yml")

    assert [entry for entry, comment in reviewed if "session" not in comment] == []

"""No tool changes for the world without a reviewer seeing it."""

from pathlib import Path

import pytest

from tests.snapshots import accept, differences
from tests.snapshots.token_costs import PAGE, with_costs


def test_every_tool_is_as_it_was_accepted() -> None:
    assert differences() == [], "look at the change, then accept it with `make snapshots`"


@pytest.mark.slow
async def test_the_page_of_toolsets_tells_what_each_list_costs_in_tokens() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert "| `personas` | 12 |" in page
    assert await with_costs(page) == page, "look at the costs, then accept them with `make snapshots`"


def test_a_changed_a_new_and_a_vanished_tool_are_seen(tmp_path: Path) -> None:
    accept(tmp_path)
    assert differences(tmp_path) == []

    changed, removed = sorted(tmp_path.glob("*.json"))[:2]
    changed.write_bytes(changed.read_bytes().replace(b"readOnlyHint", b"readOnlyHunt"))
    removed.rename(tmp_path / "of_yesterday.json")

    assert differences(tmp_path) == sorted(
        [f"changed: {changed.name}", f"new: {removed.name}", "gone: of_yesterday.json"]
    )

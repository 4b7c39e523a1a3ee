"""No tool changes for the world without a reviewer seeing it."""

from pathlib import Path

from tests.snapshots import accept, differences


def test_every_tool_is_as_it_was_accepted() -> None:
    assert differences() == [], "look at the change, then accept it with `make snapshots`"


def test_a_changed_a_new_and_a_vanished_tool_are_seen(tmp_path: Path) -> None:
    accept(tmp_path)
    assert differences(tmp_path) == []

    changed, removed = sorted(tmp_path.glob("*.json"))[:2]
    changed.write_bytes(changed.read_bytes().replace(b"readOnlyHint", b"readOnlyHunt"))
    removed.rename(tmp_path / "of_yesterday.json")

    assert differences(tmp_path) == sorted(
        [f"changed: {changed.name}", f"new: {removed.name}", "gone: of_yesterday.json"]
    )

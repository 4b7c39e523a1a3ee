"""The gateway answers raw HTTP requests byte for byte as it was recorded."""

import asyncio
import difflib

import pytest

from app.composition import Parts
from tests.exchanges.gateway import NAMES, transcripts
from tests.exchanges.record import FOLDER

HEAD = "=== "


@pytest.mark.parametrize("group", NAMES)
def test_every_exchange_of_the_group_is_as_recorded(group: str) -> None:
    played = asyncio.run(transcripts(names=[group]))[group]

    assert not (found := differences(recording(group), played)), (
        f"{group}: look at each difference, then accept it with `make snapshots`\n{found}"
    )


@pytest.mark.parametrize("group", ["mcp_2025", "mcp_2026", "exports"])
def test_each_call_is_answered_as_the_kernel_of_the_protocol_library_answers_it(group: str) -> None:
    """But for the order of headers: it is answered as recorded, and so is what the kernel answers."""
    told, kernels = (
        _by_name(one) for one in (recording(group), asyncio.run(transcripts(Parts(kernel_only=True), [group]))[group])
    )

    assert told.keys() == kernels.keys()
    for name, lines in kernels.items():
        assert sorted(told[name]) == sorted(lines), name


def test_every_recording_is_of_a_group() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)


def test_a_changed_a_new_and_a_vanished_exchange_are_named() -> None:
    recorded, now = "=== same\nx\n\n=== changed\n1\n\n=== gone\nx\n", "=== same\nx\n\n=== changed\n2\n\n=== new\nx\n"

    found = differences(recorded, now)

    assert [name in found for name in ("=== same", "=== changed", "=== gone", "=== new")] == [False, True, True, True]
    assert "-1\n+2" in found


def recording(group: str) -> str:
    return (FOLDER / f"{group}.txt").read_text("utf-8")


def differences(recorded: str, now: str) -> str:
    """A unified diff for each exchange that is not as recorded."""
    before, after = _by_name(recorded), _by_name(now)
    return "\n".join(
        "\n".join(
            difflib.unified_diff(before.get(name, []), after.get(name, []), f"recorded: {name}", name, "", "", 3, "")
        )
        for name in [*before, *(name for name in after if name not in before)]
        if before.get(name) != after.get(name)
    )


def _by_name(transcript: str) -> dict[str, list[str]]:
    parts = f"\n{transcript}".split(f"\n{HEAD}")[1:]
    return {f"{HEAD}{part.partition(chr(10))[0]}": part.strip().splitlines()[1:] for part in parts}

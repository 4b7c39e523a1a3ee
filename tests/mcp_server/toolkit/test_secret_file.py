"""One secret for all processes of an installation, whoever comes first."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_server.toolkit.secret_file import forget_previous_secrets, rotate_secret, shared_secret, shared_secrets
from tests.processes import environment


def test_the_secret_is_made_once_kept_and_shown_to_its_owner_alone(tmp_path: Path) -> None:
    secret = shared_secret(tmp_path / "var")
    first = secret.get_secret_value()

    (file,) = (tmp_path / "var").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert first not in f"{secret} {secret!r}"
    assert len(first) == 64
    assert shared_secret(tmp_path / "var").get_secret_value() == first
    assert shared_secret(tmp_path / "other").get_secret_value() != first


RACER = """
import sys
from pathlib import Path
from mcp_server.toolkit.secret_file import shared_secret
print("ready", flush=True)
sys.stdin.readline()
print(shared_secret(Path(sys.argv[1])).get_secret_value())
"""


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(tmp_path / "var")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"

    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    secrets = {racer.communicate(timeout=30)[0].strip() for racer in racers}

    assert secrets == {shared_secret(tmp_path / "var").get_secret_value()}
    assert [file.name for file in (tmp_path / "var").iterdir()] == ["internal.key"]


@pytest.mark.parametrize("content", ["", "\n", "short", "0" * 63])
def test_a_file_that_holds_no_secret_is_never_taken_for_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "internal.key").write_text(content)

    with pytest.raises(ValueError, match=r"internal\.key"):
        shared_secret(tmp_path)


def test_a_rotated_secret_is_kept_behind_its_successor_until_it_is_forgotten(tmp_path: Path) -> None:
    first = shared_secret(tmp_path)
    rotate_secret(tmp_path, "internal.key")
    second, *previous = shared_secrets(tmp_path, "internal.key")
    rotate_secret(tmp_path, "internal.key")

    assert previous == [first] != [second]
    assert shared_secrets(tmp_path, "internal.key")[1:] == [second, first]
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    third = shared_secret(tmp_path)
    forget_previous_secrets(tmp_path, "internal.key")

    assert shared_secrets(tmp_path, "internal.key") == [third]

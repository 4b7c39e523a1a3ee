"""`secrets`: a rotation after which everything that was written before is still believed and read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from mcp_server.toolkit.secret_file import shared_secrets

Cli = Callable[..., Result]
OLD, NEW = "0123456789abcdef" * 4, "fedcba9876543210" * 4


def verified(cli: Cli, **extra: str) -> list[list[dict[str, str]]]:
    """The faults of each sink."""
    return [report["faults"] for report in json.loads(cli("audit", "verify", "--json", **extra).stdout).values()]


def test_after_rotations_of_the_files_the_old_chains_are_whole(cli: Cli, ada: str, tmp_path: Path) -> None:
    for _ in range(2):
        rotated = cli("secrets", "rotate")
        assert rotated.exit_code == 0, rotated.output
        assert "secrets reseal" in rotated.stdout
        assert cli("users", "disable", ada).exit_code == 0
    kept = {file: shared_secrets(tmp_path, file) for file in ("oauth.key", "audit.key")}

    assert verified(cli) == [[], []]
    assert [len(secrets) for secrets in kept.values()] == [3, 3]
    assert not [
        secret for secrets in kept.values() for secret in secrets if secret.get_secret_value() in rotated.output
    ]

    assert json.loads(cli("secrets", "reseal", "--json").stdout) == {"resealed": 0, "unreadable": 0}
    assert shared_secrets(tmp_path, "oauth.key") == kept["oauth.key"][:1]
    assert shared_secrets(tmp_path, "audit.key") == kept["audit.key"], "old rows are verified for ever"
    assert verified(cli) == [[], []]
    assert "secretRotated" in cli("audit", "tail").stdout


def test_where_the_secret_is_of_the_environment_its_former_value_verifies_what_was_before(cli: Cli) -> None:
    made = cli(
        "users", "create", "--email", "bob@example.com", "--password-stdin", stdin="correct horse", SECRET_KEY=OLD
    )
    assert made.exit_code == 0
    refused = cli("secrets", "rotate", SECRET_KEY=OLD)

    assert refused.exit_code == 2
    assert "SECRET_KEY_PREVIOUS" in refused.stderr
    assert [fault["kind"] for faults in verified(cli, SECRET_KEY=NEW) for fault in faults] == ["unknown key"] * 2
    assert verified(cli, SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD) == [[], []]
    assert cli("secrets", "reseal", SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=f"{OLD}, {'7' * 32}").exit_code == 0


@pytest.mark.parametrize("previous", ["short", f"{OLD},short"])
def test_a_former_secret_has_the_form_of_one(cli: Cli, previous: str) -> None:
    refused = cli("users", "list", SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=previous)

    assert refused.exit_code == 2
    assert "SECRET_KEY_PREVIOUS" in refused.stderr
    assert "short" not in refused.stderr

"""`keys`, on both databases."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import click
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from app.commands.keys import LONGEST_DAYS, duration

Cli = Callable[..., Result]
LONGEST = timedelta(days=LONGEST_DAYS)


def listed(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    answer = cli("keys", "list", "--json", *arguments)
    assert answer.exit_code == 0, answer.output
    found: list[dict[str, Any]] = json.loads(answer.stdout)
    return found


def create(cli: Cli, user: str, *arguments: str) -> str:
    answer = cli("keys", "create", "--user", user, "--name", "laptop", *arguments)
    assert answer.exit_code == 0, answer.output
    return answer.stdout.strip()


def lifetime(key: dict[str, Any]) -> timedelta:
    return datetime.fromisoformat(key["expiresAt"]) - datetime.fromisoformat(key["createdAt"])


def test_the_new_key_alone_is_on_stdout_and_a_list_shows_its_ends_only(cli: Cli, ada: str) -> None:
    made = cli("keys", "create", "--user", "Ada@example.com", "--name", "laptop")
    secret = made.stdout.strip()

    assert made.exit_code == 0
    assert re.fullmatch(r"minds_[0-9a-f]{48}\n", made.stdout)
    assert secret not in made.stderr
    for shown in (cli("keys", "list").output, cli("keys", "list", "--json").output):
        assert secret[:12] in shown
        assert secret[-4:] in shown
        assert secret[12:-4] not in shown


def test_a_key_has_the_scopes_of_all_served_tools_and_no_expiry_unless_given(cli: Cli, ada: str) -> None:
    create(cli, ada)
    create(cli, ada, "--scopes", "docs:read sparks:read", "--expires", "90d")

    chosen, key = listed(cli)

    assert key["scopes"] == "sparks:read sparks:write sparks:chat flows:read flows:write"
    assert (key["user"], key["name"], key["state"]) == (ada, "laptop", "active")
    assert (key["expiresAt"], key["lastUsedAt"], key["revokedAt"], key["rotatedFrom"]) == (None,) * 4
    assert (chosen["scopes"], lifetime(chosen)) == ("sparks:read docs:read", timedelta(days=90))


def test_a_list_can_be_of_one_account_or_empty(cli: Cli, ada: str) -> None:
    assert (listed(cli), len(cli("keys", "list").stdout.splitlines())) == ([], 1)
    cli("users", "create", "--email", "bob@example.com", "--password-stdin", stdin="correct horse")
    create(cli, ada)
    create(cli, "bob@example.com")

    assert [key["user"] for key in listed(cli)] == ["bob@example.com", ada]
    assert [key["user"] for key in listed(cli, "--user", ada)] == [ada]


def test_as_json_a_new_key_comes_with_what_is_known_of_it_and_once_revoked_it_stays_in_the_list(
    cli: Cli, ada: str
) -> None:
    made = json.loads(create(cli, ada, "--json"))
    (key,) = listed(cli)
    assert re.fullmatch(r"minds_[0-9a-f]{48}", made.pop("key"))
    assert made.items() <= key.items()

    first = cli("keys", "revoke", key["id"])
    second = cli("keys", "revoke", key["id"], "--json")

    assert (first.exit_code, second.exit_code) == (0, 0)
    (after,) = listed(cli)
    assert after["state"] == "revoked"
    assert json.loads(second.stdout) == {"id": key["id"], "name": "laptop", "revokedAt": after["revokedAt"]}


def test_a_rotation_prints_the_successor_and_ends_the_old_key_after_the_overlap(cli: Cli, ada: str) -> None:
    secret = create(cli, ada, "--scopes", "docs:read")
    (old,) = listed(cli)

    rotated = cli("keys", "rotate", old["id"], "--overlap", "30m")

    assert rotated.exit_code == 0
    assert re.fullmatch(r"minds_[0-9a-f]{48}\n", rotated.stdout)
    assert rotated.stdout.strip() != secret
    new, old = listed(cli)
    assert (new["rotatedFrom"], new["scopes"], new["expiresAt"]) == (old["id"], "docs:read", None)
    left = datetime.fromisoformat(old["expiresAt"]) - datetime.fromisoformat(new["createdAt"])
    assert left == timedelta(minutes=30)

    cli("keys", "rotate", new["id"], "--overlap", "0m", "--expires", "1d")

    assert [key["state"] for key in listed(cli)] == ["active", "expired", "active"]
    assert lifetime(listed(cli)[0]) == timedelta(days=1)


def test_the_keys_of_a_disabled_account_say_so_and_get_no_successor(cli: Cli, ada: str) -> None:
    create(cli, ada)
    cli("users", "disable", ada)

    (key,) = listed(cli)

    assert key["state"] == "user disabled"
    assert cli("keys", "rotate", key["id"]).exit_code == 2
    assert cli("keys", "create", "--user", ada, "--name", "n").exit_code == 2
    assert len(listed(cli)) == 1


def test_an_unknown_account_gets_nothing_and_a_hint(cli: Cli) -> None:
    refused = cli("keys", "create", "--user", "bob@example.com", "--name", "laptop")

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "users create --email bob@example.com" in refused.stderr
    assert (listed(cli), json.loads(cli("users", "list", "--json").stdout)) == ([], [])


@pytest.mark.parametrize(
    "arguments",
    [
        ["create", "--name", "n"],
        ["create", "--user", "ada@example.com"],
        ["create", "--user", "ada", "--name", "n"],
        ["create", "--user", "ada@example.com", "--name", " "],
        ["create", "--user", "ada@example.com", "--name", "n", "--scopes", "everything"],
        ["create", "--user", "ada@example.com", "--name", "n", "--scopes", ""],
        ["create", "--user", "ada@example.com", "--name", "n", "--expires", "soon"],
        ["create", "--user", "ada@example.com", "--name", "n", "--expires", "9999999d"],
        ["list", "--user", "bob@example.com"],
        ["revoke"],
        ["revoke", "c" + "0" * 24],
        ["rotate", "c" + "0" * 24],
        ["rotate", "c" + "0" * 24, "--overlap", "-1h"],
        ["mint"],
    ],
)
def test_bad_input_ends_with_2_and_one_line(cli: Cli, ada: str, arguments: list[str]) -> None:
    refused = cli("keys", *arguments)

    assert refused.exit_code == 2
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    assert listed(cli) == []


def test_beside_a_real_api_no_key_is_made_that_nobody_would_take(cli: Cli, ada: str) -> None:
    for arguments in (["create", "--user", ada, "--name", "laptop"], ["rotate", "c" + "0" * 24]):
        answer = cli("keys", *arguments, MINDSAI_API_URL="https://minds.example")
        assert answer.exit_code == 2
        assert "https://minds.example" in answer.stderr


@given(st.sampled_from([("d", 86_400), ("h", 3_600), ("m", 60)]), st.integers(0, 9_999_999))
def test_a_number_and_a_unit_are_that_long_or_too_long(unit: tuple[str, int], number: int) -> None:
    letter, seconds = unit
    expected = timedelta(seconds=number * seconds)

    if expected > LONGEST:
        with pytest.raises(click.UsageError):
            duration(f"{number}{letter}")
    else:
        assert duration(f"{number}{letter}") == expected


@pytest.mark.parametrize(
    "text",
    ["", "d", "90", "90D", "90 d", " 90d", "90d\n", "-1d", "+1d", "1.5h", "1d12h", "1w", "1s", "٣d", "9" * 99 + "d"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError):
        duration(text)

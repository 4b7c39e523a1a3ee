"""`users`, on both databases."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

Cli = Callable[..., Result]


def listed(cli: Cli) -> list[dict[str, str | None]]:
    found: list[dict[str, str | None]] = json.loads(cli("users", "list", "--json").stdout)
    return found


def test_a_created_account_is_listed_and_its_password_is_in_no_answer(cli: Cli) -> None:
    made = cli("users", "create", "--email", " Ada@Example.com", "--password-stdin", "--json", stdin="correct horse")

    assert made.exit_code == 0
    user = json.loads(made.stdout)
    assert user.keys() == {"id", "email", "createdAt", "disabledAt"}
    assert (user["email"], user["disabledAt"]) == ("ada@example.com", None)
    assert listed(cli) == [user]
    shown = cli("users", "list").stdout
    assert "ada@example.com" in shown
    assert not [secret for secret in ("correct horse", "argon2") if secret in made.output + shown]


@pytest.mark.parametrize(
    "arguments",
    [
        ["create", "--password-stdin"],
        ["create", "--email", "ada", "--password-stdin"],
        ["create", "--email", "ada@example.com", "--password-stdin"],
        ["create", "--email", "bob@example.com"],
        ["disable", "nobody@example.com"],
        ["enable", "nobody"],
        ["remove", "ada@example.com"],
        ["list", "--jsn"],
    ],
)
def test_bad_input_ends_with_2_and_one_line(cli: Cli, ada: str, arguments: list[str]) -> None:
    before = listed(cli)

    refused = cli("users", *arguments, stdin="correct horse")

    assert refused.exit_code == 2
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    assert listed(cli) == before


@pytest.mark.parametrize("password", [b"", b"short", b"ninechars\n", b"x" * 1025, b"\xff" * 12])
def test_a_password_that_will_not_do_makes_no_account(cli: Cli, password: bytes) -> None:
    refused = cli("users", "create", "--email", "ada@example.com", "--password-stdin", stdin=password)

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert listed(cli) == []


def test_at_a_terminal_a_password_that_will_not_do_is_asked_for_again_before_it_is_repeated(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _stdin: True, raising=False)

    made = cli("users", "create", "--email", "ada@example.com", stdin="short\n" + "correct horse\n" * 2)

    assert made.exit_code == 0, made.output
    assert made.stderr.count("Repeat") == 1
    assert "10 to 1024" in made.stderr
    assert "short" not in made.stderr


def test_an_account_is_disabled_and_enabled(cli: Cli, ada: str) -> None:
    assert cli("users", "disable", "ADA@example.com").exit_code == 0
    (disabled,) = listed(cli)
    assert disabled["disabledAt"] is not None
    assert json.loads(cli("users", "disable", ada, "--json").stdout) == disabled

    assert cli("users", "enable", ada).exit_code == 0

    assert listed(cli) == [disabled | {"disabledAt": None}]

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
        ["delete", "nobody@example.com", "--yes"],
        ["set-password", "nobody@example.com", "--password-stdin"],
        ["set-password", "ada@example.com"],
        ["reset-link", "nobody@example.com"],
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


def test_a_password_is_set_and_is_in_no_answer(cli: Cli, ada: str) -> None:
    done = cli("users", "set-password", "ADA@example.com", "--password-stdin", stdin="another password\n")

    assert (done.exit_code, done.stdout.split(" (")[0]) == (0, "Set the password of ada@example.com")
    assert "another password" not in done.output
    assert cli("users", "set-password", ada, "--password-stdin", stdin="short").exit_code == 2


def test_a_link_to_set_a_password_is_all_that_stands_on_stdout(cli: Cli, ada: str) -> None:
    made = cli("users", "reset-link", ada, SITE_URL="https://minds.example", SECRET_KEY="0123456789abcdef" * 4)
    known = json.loads(cli("users", "reset-link", ada, "--json").stdout)

    assert made.stdout.startswith("https://minds.example/oauth/password/new?token=")
    assert len(made.stdout.splitlines()) == 1
    assert (known.keys(), known["email"]) == ({"email", "link", "expiresAt"}, ada)
    assert cli("users", "disable", ada).exit_code == 0
    assert cli("users", "reset-link", ada).exit_code == 2
    assert cli("users", "reset-link", ada, EMBEDDED_SIGN_IN="false").exit_code == 2


def test_an_account_is_deleted_when_that_is_confirmed(cli: Cli, ada: str) -> None:
    assert cli("keys", "create", "--user", ada, "--name", "laptop").exit_code == 0

    assert cli("users", "delete", ada, stdin="n\n").exit_code == 1
    assert [user["disabledAt"] for user in listed(cli)] == [None]
    assert cli("users", "delete", ada, stdin="y\n").exit_code == 0

    assert listed(cli) == json.loads(cli("keys", "list", "--json").stdout) == []
    assert cli("users", "create", "--email", ada, "--password-stdin", stdin="correct horse").exit_code == 0
    assert cli("users", "delete", ada, "--yes").exit_code == 0
    tail = cli("audit", "tail", "--json").stdout
    assert tail.count("userDeleted") == 2
    assert cli("audit", "verify").exit_code == 0

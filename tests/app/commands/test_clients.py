"""`clients`, on both databases."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import URL

from app.storage.engine import open_engine
from oauth.flows.registration import Registration
from oauth.primitives.clock import utc_now
from oauth.primitives.scopes import ALL
from oauth.settings import OAuthSettings
from oauth.stores.clients import ClientStore

Cli = Callable[..., Result]
WORDS: Mapping[str, Any] = {"client_name": "Cursor", "redirect_uris": ["http://localhost:8787/callback"]}


@pytest.fixture
def client_id(cli: Cli, database: URL) -> str:
    """A registration on the database of the command line, which is migrated by the first command."""
    cli("clients", "list")

    async def register() -> str:
        engine = open_engine(database)
        registration = Registration(ClientStore(engine), OAuthSettings("https://minds.example", ALL))
        registered = await registration.register(WORDS, "203.0.113.7", utc_now())
        await engine.dispose()
        return registered.client.id

    return asyncio.run(register())


def test_a_registered_client_is_listed_and_revoked(cli: Cli, client_id: str) -> None:
    listed = json.loads(cli("clients", "list", "--json").stdout)
    assert [(one["id"], one["name"], one["redirectUris"]) for one in listed] == [
        (client_id, "Cursor", WORDS["redirect_uris"])
    ]
    assert client_id in cli("clients", "list").stdout

    assert json.loads(cli("clients", "revoke", client_id, "--json").stdout) == {"id": client_id, "revoked": True}

    assert json.loads(cli("clients", "list", "--json").stdout) == []


@pytest.mark.parametrize("arguments", [["revoke", "client_unknown"], ["revoke"], ["remove", "x"]])
def test_bad_input_ends_with_2(cli: Cli, arguments: list[str]) -> None:
    assert cli("clients", *arguments).exit_code == 2


def test_a_restored_backup_ends_everything_once_somebody_says_yes(cli: Cli) -> None:
    refused = cli("restored", stdin="n\n")
    people, program = cli("restored", "--yes"), cli("restored", "--yes", "--keep-keys", "--json")

    assert [each.exit_code for each in (refused, people, program)] == [1, 0, 0]
    assert people.stdout.startswith("Ended: 0 connected apps")
    assert json.loads(program.stdout) == {"grants": 0, "sessions": 0, "keys": 0}

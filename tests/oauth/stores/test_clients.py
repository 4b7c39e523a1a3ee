"""Registered clients in SQLite and in PostgreSQL."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Client, Device
from oauth.models import User
from oauth.stores import Stores
from oauth.stores.base import Store
from oauth.stores.clients import ClientStore
from oauth.stores.devices import DeviceStore
from oauth.stores.tables import clients, consents, grants
from tests.oauth.clients import NOW

DAY = timedelta(days=1)
ONE = Client(
    id="client_1",
    kind="registered",
    name="Claude",
    imitates=True,
    redirect_uris=("https://claude.ai/cb", "http://localhost/cb"),
    created_at=NOW,
    auth_methods=frozenset({"client_secret_basic"}),
    grant_types=frozenset({"authorization_code", "refresh_token"}),
    scopes=frozenset({"docs:read", "sparks:read"}),
    secret_digest="ab" * 32,
    jwks={"keys": [{"kty": "EC"}]},
    jwks_uri="https://claude.ai/jwks",
    expires_at=NOW + DAY,
)


async def test_the_same_registration_is_one_client_whose_time_begins_again(registered: ClientStore) -> None:
    await registered.register(ONE, "f", NOW)
    later = NOW + timedelta(hours=20)

    again = await registered.register(replace(ONE, id="client_2", expires_at=later + DAY), "f", later)

    assert (again.id, again.expires_at) == (ONE.id, later + DAY)
    assert await registered.list_clients() == [again]


async def test_of_the_same_registrations_at_once_all_get_one_client(registered: ClientStore) -> None:
    made = [replace(ONE, id=f"client_{n}") for n in range(8)]

    found = await asyncio.gather(*(registered.register(client, "f", NOW) for client in made))

    assert len({client.id for client in found}) == 1
    assert len(await registered.list_clients()) == 1


@pytest.mark.security("RG-34", "AZ-30")
async def test_an_unused_registration_expires_and_its_place_is_free_again(registered: ClientStore) -> None:
    await registered.register(ONE, "f", NOW)
    end = NOW + DAY

    assert await registered.find_client(ONE.id, end) is None
    successor = replace(ONE, id="client_2", created_at=end, expires_at=end + DAY)
    assert await registered.register(successor, "f", end) == successor


@pytest.mark.security("RG-34")
async def test_a_used_registration_never_expires(registered: ClientStore, engine: AsyncEngine) -> None:
    await registered.register(ONE, "f", NOW)
    await registered.keep_client(ONE.id, NOW + timedelta(hours=1))
    later = NOW + timedelta(days=4_000)

    assert await Stores(engine).drop_expired(later) == 0
    found = await registered.find_client(ONE.id, later)
    assert found == replace(ONE, expires_at=None, last_used_at=NOW + timedelta(hours=1))
    again = await registered.register(replace(ONE, id="client_2", expires_at=later + DAY), "f", later)
    assert again == found


@pytest.mark.security("RG-34")
async def test_a_flood_of_registrations_drives_the_oldest_unused_out_and_no_other(engine: AsyncEngine) -> None:
    small = ClientStore(engine, max_unused=3)
    await small.register(replace(ONE, id="client_used"), "used", NOW)
    await small.keep_client("client_used", NOW)

    for n in range(6):
        at = NOW + timedelta(seconds=n)
        await small.register(replace(ONE, id=f"client_{n}", created_at=at, expires_at=at + DAY), f"f{n}", at)

    assert [client.id for client in await small.list_clients()] == ["client_5", "client_4", "client_3", "client_used"]


async def _grants(engine: AsyncEngine) -> Sequence[tuple[str, str | None]]:
    rows = await Store(engine).read(select(grants).order_by(grants.c.id))
    return [(row["id"], row["revoked_reason"] if row["revoked_at"] else None) for row in rows]


async def _delegate(engine: AsyncEngine, user: User, client_id: str, grant_id: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(
            insert(grants).values(
                id=grant_id,
                user_id=user.id,
                client_id=client_id,
                client_name="Claude",
                scopes=frozenset({"docs:read"}),
                resource="https://gw.example.com/mcp",
                created_at=NOW,
                expires_at=NOW + DAY,
            )
        )
        await connection.execute(
            insert(consents).values(
                user_id=user.id,
                client_id=client_id,
                redirect_host=grant_id,
                scopes=frozenset({"docs:read"}),
                granted_at=NOW,
                expires_at=NOW + DAY,
            )
        )


@pytest.mark.security("RG-35")
async def test_the_end_of_a_client_is_the_end_of_all_that_it_was_allowed(
    registered: ClientStore, engine: AsyncEngine, ada: User
) -> None:
    await registered.register(ONE, "f", NOW)
    await registered.keep_client(ONE.id, NOW)
    await _delegate(engine, ada, ONE.id, "1")
    await _delegate(engine, ada, "client_2", "2")

    assert await registered.revoke_client(ONE.id, NOW)

    assert await registered.find_client(ONE.id, NOW) is None
    assert await registered.list_clients() == []
    assert await _grants(engine) == [("1", "client revoked"), ("2", None)]
    assert [row["client_id"] for row in await Store(engine).read(select(consents))] == ["client_2"]
    assert (await registered.revisions())["grants"] == 1
    assert not await registered.revoke_client(ONE.id, NOW)


@pytest.mark.security("RG-35")
async def test_a_device_of_the_client_that_was_let_in_and_has_not_asked_yet_is_refused(
    registered: ClientStore, engine: AsyncEngine, ada: User
) -> None:
    document, devices, scopes = "https://chatgpt.com/oauth/client.json", DeviceStore(engine), frozenset({"docs:read"})
    later = NOW + timedelta(minutes=10)
    await devices.add_device(Device("d", "u", document, "App", scopes, "https://a/mcp", NOW, later, 5))
    assert await devices.decide("d", user_id=ada.id, scopes=scopes, now=NOW)

    assert await registered.revoke_client(document, NOW)

    assert await devices.list_let_in(ada.id, NOW) == []


@pytest.mark.security("TK-34")
async def test_of_a_secret_only_the_digest_has_a_column(registered: ClientStore, engine: AsyncEngine) -> None:
    await registered.register(ONE, "f", NOW)

    (row,) = await Store(engine).read(select(clients))

    assert row["secret_digest"] == ONE.secret_digest
    assert str(ONE.secret_digest) not in row["metadata"]
    assert str(ONE.secret_digest) not in repr(ONE)


DOCUMENT = "https://app.example/client.json"


async def test_a_document_that_is_gone_for_good_ends_the_grants_of_its_client(
    registered: ClientStore, engine: AsyncEngine, ada: User
) -> None:
    await _delegate(engine, ada, DOCUMENT, "1")
    await _delegate(engine, ada, "https://app.example/other.json", "2")

    await registered.end_grants(DOCUMENT, NOW)

    assert await _grants(engine) == [("1", "metadata document gone"), ("2", None)]
    assert (await registered.revisions())["grants"] == 1

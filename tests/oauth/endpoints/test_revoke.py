"""The revocation endpoint."""

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.grants import GrantStore
from tests.oauth.token_house import House, refused


@pytest.mark.security("RV-01", "RV-02")
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "magic"])
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_either_token_ends_both_whatever_the_hint(house: House, kind: str, hint: str | None) -> None:
    tokens = await house.tokens_of()
    untouched = await house.tokens_of()

    answer = await house.revoke(tokens[kind], token_type_hint=hint)

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers
    assert not await house.is_live(tokens["access_token"])
    assert refused(await house.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert await house.is_live(untouched["access_token"])


@pytest.mark.security("RV-03")
@pytest.mark.parametrize("token", ["unknown", "x" * 5_000, "*", "é", "a.b.c", "minds_" + "0" * 48])
async def test_an_unknown_token_is_gone_already(house: House, token: str) -> None:
    assert (await house.revoke(token)).status_code == 200
    assert house.forgotten == []


async def test_a_request_without_a_token_or_a_client_is_refused(house: House) -> None:
    token = (await house.tokens_of())["refresh_token"]

    assert refused(await house.revoke("")) == (400, "invalid_request")
    assert refused(await house.revoke(token, client_id="unknown")) == (401, "invalid_client")
    assert await house.is_live(token)


@pytest.mark.security("RV-06")
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_another_client_ends_nothing_and_is_told(house: House, kind: str) -> None:
    tokens = await house.tokens_of()

    assert refused(await house.revoke(tokens[kind], client_id="other")) == (400, "invalid_grant")
    assert await house.is_live(tokens["access_token"])
    assert await house.is_live(tokens["refresh_token"])


@pytest.mark.security("RV-06")
async def test_a_confidential_client_proves_itself_before_it_ends_anything(house: House) -> None:
    tokens = await house.tokens_of("confidential", client_secret="s3cret")

    assert refused(await house.revoke(tokens["access_token"], client_id="confidential")) == (401, "invalid_client")
    assert await house.is_live(tokens["access_token"])


@pytest.mark.security("RV-09")
async def test_every_process_hears_of_it_and_this_one_at_once(house: House, engine: AsyncEngine) -> None:
    tokens = await house.tokens_of()
    elsewhere = GrantStore(engine)
    before = await elsewhere.grants_revision()

    await house.revoke(tokens["access_token"])

    assert house.forgotten == [house.tokens.issued[tokens["access_token"]].grant_id]
    assert await elsewhere.grants_revision() != before


async def test_the_predecessor_of_a_token_ends_the_family_too(house: House) -> None:
    first = await house.tokens_of()
    second = (await house.refresh(first["refresh_token"])).json()

    await house.revoke(first["refresh_token"])

    assert not await house.is_live(second["access_token"])


@pytest.mark.security("RV-12")
async def test_without_the_store_it_is_never_said_to_be_done(house: House, engine: AsyncEngine) -> None:
    token = (await house.tokens_of())["refresh_token"]
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE oauth_refresh_tokens RENAME TO gone"))

    answer = await house.revoke(token)

    assert refused(answer) == (503, "temporarily_unavailable")
    assert int(answer.headers["retry-after"]) > 0

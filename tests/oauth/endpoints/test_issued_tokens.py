"""The revocation endpoint."""

from dataclasses import replace

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.stores.grants import GrantStore
from tests.oauth.token_house import INTROSPECTION_SECRET, House, refused


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
    assert house.announced == []


@pytest.mark.security("RV-06")
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_another_client_ends_nothing_and_is_told(house: House, kind: str) -> None:
    tokens = await house.tokens_of()

    assert refused(await house.revoke(tokens[kind], client_id="other")) == (400, "invalid_grant")
    assert await house.is_live(tokens["access_token"])
    assert await house.is_live(tokens["refresh_token"])


@pytest.mark.security("RV-09")
async def test_every_process_hears_of_it_and_this_one_at_once(house: House, engine: AsyncEngine) -> None:
    tokens = await house.tokens_of()
    elsewhere = GrantStore(engine)
    before = await elsewhere.revisions()

    await house.revoke(tokens["access_token"])

    assert house.announced == [None]
    assert await elsewhere.revisions() != before


@pytest.mark.security("RV-12")
async def test_without_the_store_it_is_never_said_to_be_done(house: House, engine: AsyncEngine) -> None:
    token = (await house.tokens_of())["refresh_token"]
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE oauth_refresh_tokens RENAME TO gone"))

    answer = await house.revoke(token)

    assert refused(answer) == (503, "temporarily_unavailable")
    assert int(answer.headers["retry-after"]) > 0


def shown(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@pytest.mark.parametrize(
    "credential",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer ä", f"Basic {INTROSPECTION_SECRET}", INTROSPECTION_SECRET],
)
async def test_who_does_not_know_the_secret_learns_nothing(house: House, credential: str | None) -> None:
    token = (await house.tokens_of())["access_token"]
    headers = {} if credential is None else {"authorization": credential.encode()}

    answer = await house.post("/oauth/introspect", {"token": token}, headers=headers)

    assert (answer.status_code, answer.content) == (401, b"")
    assert answer.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_who_knows_it_is_answered_by_post_only(house: House, scheme: str) -> None:
    headers = {"authorization": f"{scheme} {INTROSPECTION_SECRET}"}

    answer = await house.post("/oauth/introspect", {"token": "unknown"}, headers=headers)

    assert (answer.status_code, answer.json()) == (200, {"active": False})
    assert answer.headers["cache-control"] == "no-store"
    assert (await house.send("GET", "/oauth/introspect", headers=headers)).status_code == 405
    assert refused(await house.post("/oauth/introspect", {}, headers=headers)) == (400, "invalid_request")


async def test_after_ten_wrong_secrets_a_place_is_refused_without_a_look(house: House) -> None:
    wrong = [await house.post("/oauth/introspect", {"token": "t"}, headers=shown(f"guess {n}")) for n in range(12)]

    right = await house.post("/oauth/introspect", {"token": "t"}, headers=shown(INTROSPECTION_SECRET))
    assert [answer.status_code for answer in wrong] == [401] * 10 + [429] * 2
    assert refused(right) == (429, "temporarily_unavailable")
    assert right.headers["retry-after"] == "60"
    house.later(minutes=1)
    assert await house.introspect("t") == {"active": False}


@pytest.mark.parametrize("secret", [None, SecretStr("")])
async def test_without_a_secret_there_is_no_endpoint(house: House, secret: SecretStr | None) -> None:
    routes = replace(house.endpoints, introspection_secret=secret).routes

    assert [route.path for route in routes] == ["/oauth/token", "/oauth/revoke"]

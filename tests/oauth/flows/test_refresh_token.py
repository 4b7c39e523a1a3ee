"""Refresh tokens: rotation, the grace, and what a reuse costs."""

import asyncio

import pytest
from sqlalchemy.engine import URL
from structlog.testing import capture_logs

from app.storage.engine import open_engine
from tests.oauth.delegations import CLIENT, RESOURCE, grant_of, refresh_of
from tests.oauth.token_house import House, refused

INVALID_GRANT = (400, "invalid_grant")


async def rotated(house: House, token: str, **changes: str | None) -> str:
    """The successor of the token."""
    answer = await house.refresh(token, **changes)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["refresh_token"])


@pytest.mark.security("RF-01")
async def test_a_refresh_gives_a_new_access_and_a_new_refresh_token(house: House) -> None:
    first = await house.tokens_of()

    answer = await house.refresh(first["refresh_token"])

    second = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert second.keys() == first.keys()
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert await house.is_live(second["access_token"])
    assert await house.is_live(second["refresh_token"])


@pytest.mark.security("RF-02")
async def test_a_reuse_after_the_grace_ends_the_family_and_is_told_to_operator_and_person(house: House) -> None:
    first = await house.tokens_of()
    second = await rotated(house, first["refresh_token"])
    grant = house.tokens.issued[first["access_token"]].grant_id
    house.later(seconds=31)

    with capture_logs() as lines:
        assert refused(await house.refresh(first["refresh_token"])) == INVALID_GRANT

    told = {"event": "refresh_token.reused", "log_level": "warning", "grant": grant, "client": CLIENT}
    assert lines == [told]
    assert await house.store.find_live_grant(grant, house.now) is None
    assert house.noted == [(house.user.id, "token_reused", CLIENT, "disconnected")]
    assert refused(await house.refresh(second)) == INVALID_GRANT


@pytest.mark.security("RF-10")
async def test_a_lost_answer_is_repeated_within_the_grace(house: House) -> None:
    first = (await house.tokens_of())["refresh_token"]
    second = await rotated(house, first)
    house.later(seconds=30)

    assert await rotated(house, first) == second
    assert await rotated(house, second) not in {first, second}


@pytest.mark.security("RF-08", "RF-10")
async def test_twelve_refreshes_at_once_give_one_successor(house: House) -> None:
    first = (await house.tokens_of())["refresh_token"]

    answers = await asyncio.gather(*(house.refresh(first) for _ in range(12)))

    assert {answer.status_code for answer in answers} == {200}
    successors = {answer.json()["refresh_token"] for answer in answers}
    assert len(successors) == 1
    assert await rotated(house, successors.pop()) != first


@pytest.mark.security("RF-04", "RF-06", "RF-07")
@pytest.mark.parametrize(
    ("name", "values", "refusal"),
    [
        ("client_id", ["other"], INVALID_GRANT),
        ("scope", ["docs:read sparks:write", "unknown", "docs:read\tsparks:read"], (400, "invalid_scope")),
        ("resource", ["https://gateway.example/api/v1", "https://evil.example/mcp", "*"], (400, "invalid_target")),
    ],
)
async def test_another_client_more_scopes_and_another_resource_are_refused_and_cost_nothing(
    house: House, name: str, values: list[str], refusal: tuple[int, str]
) -> None:
    token = (await house.tokens_of())["refresh_token"]

    for value in values:
        assert refused(await house.refresh(token, **{name: value})) == refusal
    await rotated(house, token, resource=f"{RESOURCE}/")


@pytest.mark.security("RF-06")
async def test_a_narrower_access_token_leaves_the_refresh_token_as_wide_as_it_was(house: House) -> None:
    first = await house.tokens_of()

    narrow = (await house.refresh(first["refresh_token"], scope="docs:read")).json()
    wide = (await house.refresh(narrow["refresh_token"], scope="sparks:read docs:read offline_access")).json()
    silent = (await house.refresh(wide["refresh_token"])).json()

    assert narrow["scope"] == "docs:read"
    assert house.tokens.issued[narrow["access_token"]].scopes == frozenset({"docs:read"})
    assert wide["scope"] == silent["scope"] == first["scope"]


@pytest.mark.security("RF-06")
async def test_the_words_of_the_request_give_what_was_granted_of_them(house: House) -> None:
    grant = grant_of(house.user, house.now, asked="docs:read openid sparks:read sparks:write")
    await house.store.add_grant(grant, refresh_of(grant, house.now))

    again = (await house.refresh("the token", scope="openid sparks:read sparks:write docs:read offline_access")).json()
    fewer = (await house.refresh(again["refresh_token"], scope="openid docs:read")).json()

    assert (again["scope"], fewer["scope"]) == ("sparks:read docs:read", "docs:read")
    for scope in ("openid flows:read", "docs:read profile", "openid sparks:write"):
        assert refused(await house.refresh(fewer["refresh_token"], scope=scope)) == (400, "invalid_scope")
    await rotated(house, fewer["refresh_token"])


@pytest.mark.security("RF-09")
async def test_no_other_credential_refreshes(house: House) -> None:
    code = await house.code()
    access = (await house.tokens_of())["access_token"]

    for other in (code, access, "minds_" + "0" * 48, "*", "ä", "x" * 5_000):
        assert refused(await house.refresh(other)) == INVALID_GRANT
    assert refused(await house.refresh("")) == (400, "invalid_request")


@pytest.mark.security("RF-11")
async def test_a_family_ends_however_often_it_is_refreshed(house: House) -> None:
    token = (await house.tokens_of())["refresh_token"]
    for _ in range(14):
        house.later(days=26)
        token = await rotated(house, token)

    house.later(days=1)

    assert refused(await house.refresh(token)) == INVALID_GRANT


@pytest.mark.security("RF-13")
async def test_a_refresh_survives_a_restart_within_the_grace_as_well(house: House, database: URL) -> None:
    first = (await house.tokens_of())["refresh_token"]
    second = await rotated(house, first)
    engine = open_engine(database)
    restarted = House(engine, house.user, house.now)

    repeated = await rotated(restarted, first)
    third = await rotated(restarted, second)
    await engine.dispose()

    assert repeated == second
    assert third != second


@pytest.mark.security("RF-02", "RF-03")
async def test_the_oldest_of_three_generations_ends_them_all(house: House) -> None:
    first = await house.tokens_of()
    second = await rotated(house, first["refresh_token"])
    third = (await house.refresh(second)).json()

    assert refused(await house.refresh(first["refresh_token"])) == INVALID_GRANT

    assert refused(await house.refresh(third["refresh_token"])) == INVALID_GRANT
    assert not await house.is_live(third["access_token"])
    assert not await house.is_live(first["access_token"])

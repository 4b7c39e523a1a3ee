"""The introspection endpoint: open to whoever knows the secret, and to nobody where there is none."""

import pytest

from oauth.endpoints.issued_tokens import Introspect
from oauth.flows.issued_tokens import Introspection
from tests.oauth.token_house import INTROSPECTION_SECRET, SETTINGS, House, refused


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


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer"}, {"authorization": ""}])
async def test_who_shows_no_secret_has_not_guessed(house: House, headers: dict[str, str]) -> None:
    asked = [await house.post("/oauth/introspect", {"token": "t"}, headers=headers) for _ in range(12)]

    assert [answer.status_code for answer in asked] == [401] * 12
    assert await house.introspect("t") == {"active": False}


async def test_without_a_secret_there_is_no_endpoint(house: House) -> None:
    assert Introspect(Introspection(house.store, house.tokens, SETTINGS), None).routes == []

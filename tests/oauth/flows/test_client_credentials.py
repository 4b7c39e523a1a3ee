"""A client that acts for itself."""

import pytest

from tests.oauth.delegations import RESOURCE
from tests.oauth.token_house import House, refused

MACHINE = {"grant_type": "client_credentials", "client_id": "machine", "client_secret": "s3cret"}


async def test_a_machine_gets_a_token_for_itself_and_none_to_refresh(house: House) -> None:
    answer = await house.post("/oauth/token", MACHINE)

    body = answer.json()
    claims = house.tokens.issued[body["access_token"]]
    assert body.keys() == {"access_token", "token_type", "expires_in", "scope"}
    assert body["scope"] == "sparks:read docs:read"
    assert (claims.sub, claims.client_id, claims.aud) == ("machine", "machine", RESOURCE)
    assert await house.is_live(body["access_token"])


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"client_id": "public-machine", "client_secret": None}, (400, "unauthorized_client")),
        ({"client_id": "registered-machine"}, (400, "unauthorized_client")),
        ({"client_id": "confidential"}, (400, "unauthorized_client")),
        ({"client_secret": "wrong"}, (401, "invalid_client")),
        ({"client_secret": None}, (401, "invalid_client")),
        ({"scope": "sparks:write"}, (400, "invalid_scope")),
        ({"scope": "docs:read unknown"}, (400, "invalid_scope")),
        ({"scope": "unknown"}, (400, "invalid_scope")),
        ({"resource": "https://evil.example/mcp"}, (400, "invalid_target")),
    ],
)
async def test_nobody_else_and_nothing_more(
    house: House, changes: dict[str, str | None], refusal: tuple[int, str]
) -> None:
    assert refused(await house.post("/oauth/token", {**MACHINE, **changes})) == refusal
    assert house.tokens.issued == {}


@pytest.mark.parametrize("scope", ["docs:read", "docs:read offline_access", "docs:read sparks:write"])
async def test_a_machine_gets_what_it_may_have_of_what_it_asks_for(house: House, scope: str) -> None:
    answer = await house.post("/oauth/token", {**MACHINE, "scope": scope})

    assert answer.json()["scope"] == "docs:read"
    assert "refresh_token" not in answer.json()

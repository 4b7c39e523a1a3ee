"""A client that acts for itself, and codes that become tokens; what a client sees is in `endpoints/test_token.py`."""

import pytest
from structlog.testing import capture_logs

from oauth.errors import InvalidGrant
from oauth.flows.grant_types import GrantTypes
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from tests.oauth.clients import UNRECORDED
from tests.oauth.delegations import CALLBACK, CLIENT, RESOURCE, VERIFIER, client_of
from tests.oauth.token_house import SETTINGS, House, refused

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


def parameters(code: str) -> Parameters:
    return Parameters([("code", code), ("redirect_uri", CALLBACK), ("code_verifier", VERIFIER)])


async def test_the_tokens_hold_what_the_code_does_not_what_the_grant_does(house: House) -> None:
    flow = GrantTypes(house.store, house.tokens, SETTINGS, UNRECORDED).authorization_code
    code = await house.code(scopes=frozenset({"docs:read"}))

    tokens = await flow(client_of(house.now), parameters(code), house.now)

    claims = house.tokens.issued[tokens.access_token]
    assert tokens.scopes == claims.scopes == frozenset({"docs:read"})
    assert claims.sub == house.user.id
    assert claims.client_id == CLIENT


@pytest.mark.security("TK-05")
async def test_a_second_use_is_told_to_the_operator_without_the_code(house: House) -> None:
    flow = GrantTypes(house.store, house.tokens, SETTINGS, UNRECORDED).authorization_code
    code = await house.code()
    kept = await house.store.find_code(digest(code))
    await flow(client_of(house.now), parameters(code), house.now)

    with capture_logs() as lines, pytest.raises(InvalidGrant):
        await flow(client_of(house.now), parameters(code), house.now)

    assert kept is not None
    assert await house.store.find_live_grant(kept.grant_id, house.now) is None
    event = {"event": "authorization_code.reused", "log_level": "warning"}
    assert lines == [{**event, "grant": kept.grant_id, "client": CLIENT}]


@pytest.mark.security("TK-02")
async def test_a_burnt_code_is_told_to_the_operator_once(house: House) -> None:
    flow = GrantTypes(house.store, house.tokens, SETTINGS, house).authorization_code
    code = await house.code()
    kept = await house.store.find_code(digest(code))
    wrong = Parameters([("code", code), ("redirect_uri", CALLBACK), ("code_verifier", "x" * 43)])

    with capture_logs() as lines:
        for _ in range(3):
            with pytest.raises(InvalidGrant):
                await flow(client_of(house.now), wrong, house.now)

    assert kept is not None
    event = {"event": "authorization_code.burnt", "log_level": "warning"}
    assert lines == [{**event, "grant": kept.grant_id, "client": CLIENT}]

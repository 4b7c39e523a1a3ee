"""A code becomes tokens; what a client sees of it is in `endpoints/test_token.py`."""

import pytest
from structlog.testing import capture_logs

from oauth.errors import InvalidGrant
from oauth.flows.grant_types import AuthorizationCodes
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from tests.oauth.delegations import CALLBACK, CLIENT, VERIFIER, client_of
from tests.oauth.token_house import SETTINGS, House


def parameters(code: str) -> Parameters:
    return Parameters([("code", code), ("redirect_uri", CALLBACK), ("code_verifier", VERIFIER)])


async def test_the_tokens_hold_what_the_code_does_not_what_the_grant_does(house: House) -> None:
    flow = AuthorizationCodes(house.store, house.tokens, SETTINGS, house.forgotten.append)
    code = await house.code(scopes=frozenset({"docs:read"}))

    tokens = await flow(client_of(house.now), parameters(code), house.now)

    claims = house.tokens.issued[tokens.access_token]
    assert tokens.scopes == claims.scopes == frozenset({"docs:read"})
    assert claims.sub == house.user.id
    assert claims.client_id == CLIENT


@pytest.mark.security("TK-05")
async def test_a_second_use_is_told_to_the_operator_without_the_code(house: House) -> None:
    flow = AuthorizationCodes(house.store, house.tokens, SETTINGS, house.forgotten.append)
    code = await house.code()
    kept = await house.store.find_code(digest(code))
    await flow(client_of(house.now), parameters(code), house.now)

    with capture_logs() as lines, pytest.raises(InvalidGrant):
        await flow(client_of(house.now), parameters(code), house.now)

    assert kept is not None
    assert house.forgotten == [kept.grant_id]
    event = {"event": "authorization_code.reused", "log_level": "warning"}
    assert lines == [{**event, "grant": kept.grant_id, "client": CLIENT}]


@pytest.mark.security("TK-02")
async def test_a_burnt_code_is_told_to_the_operator_once(house: House) -> None:
    flow = AuthorizationCodes(house.store, house.tokens, SETTINGS, house.forgotten.append, house)
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

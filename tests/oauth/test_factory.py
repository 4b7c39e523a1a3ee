"""Connected as a whole, every address that the metadata advertises answers."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.models import User
from tests.app.account.house import NOW, SITE, House, house
from tests.oauth.delegations import CALLBACK, VERIFIER, code_of, grant_of


@pytest.mark.security("DI-21")
async def test_nothing_that_is_advertised_is_missing(engine: AsyncEngine) -> None:
    async with house(engine) as home:
        metadata = (await home.http.get("/.well-known/oauth-authorization-server")).json()
        addresses = {name: url for name, url in metadata.items() if name.endswith(("_endpoint", "jwks_uri"))}
        answers = {name: await home.http.get(urlsplit(url).path) for name, url in addresses.items()}

    assert {"authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"} <= set(answers)
    assert [name for name, answer in answers.items() if answer.status_code == 404] == []
    assert all(url.startswith(f"{SITE}/") for url in addresses.values())


async def test_the_command_line_client_is_known_without_registration(engine: AsyncEngine) -> None:
    async with house(engine) as home:
        begun = await home.http.post("/oauth/device_authorization", data={"client_id": "minds-stdio"})

    assert begun.status_code == 200
    assert begun.json()["verification_uri"].startswith(SITE)


async def test_a_client_that_is_taken_out_of_the_configuration_ends_with_its_tokens(engine: AsyncEngine) -> None:
    secret = "s" * 32
    machine = {"client_id": "ci", "client_secret": secret, "grant_types": ["client_credentials"]}
    form = {"grant_type": "client_credentials", "client_id": "ci", "client_secret": secret}
    async with house(engine, clients=[machine]) as home:
        token = (await home.http.post("/oauth/token", data=form)).json()["access_token"]
        before = await home.oauth.verifier.verify(token)
    async with house(engine) as home:
        after = await home.oauth.verifier.verify(token)
        refused = await home.http.post("/oauth/token", data=form)

    assert before is not None
    assert after is None
    assert refused.json()["error"] == "invalid_client"


@pytest.mark.security("TK-05", "RF-02")
@pytest.mark.parametrize("reused", ["code", "refresh_token"])
async def test_a_reuse_ends_the_access_token_in_this_process_with_the_very_answer(
    engine: AsyncEngine, reused: str
) -> None:
    async with house(engine) as home:
        tokens, forms = await _two_uses(home, await home.account("ada@example.com"))
        before = await home.oauth.verifier.verify(tokens["access_token"])

        refused = await home.http.post("/oauth/token", data=forms[reused])
        after = await home.oauth.verifier.verify(tokens["access_token"])

    assert before is not None
    assert refused.json()["error"] == "invalid_grant"
    assert after is None


async def _two_uses(home: House, user: User) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The latest tokens of a family, and the forms that show its code and its first refresh token once more."""
    asked = {"redirect_uris": [CALLBACK], "client_name": "A client", "token_endpoint_auth_method": "none"}
    client_id = (await home.http.post("/oauth/register", json=asked)).json()["client_id"]
    secret = "c" * 43
    grant = grant_of(user, NOW, client_id=client_id, resource=f"{SITE}/mcp")
    code = code_of(grant, NOW, secret, resource=f"{SITE}/mcp")
    assert await home.oauth.stores.grants.approve(secret, grant, code, NOW + timedelta(minutes=1))
    redeem = {"grant_type": "authorization_code", "client_id": client_id, "code": secret}
    redeem |= {"redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    tokens = (await home.http.post("/oauth/token", data=redeem)).json()
    first = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": tokens["refresh_token"]}
    for _ in range(2):  # a predecessor is answered again until its successor was used
        tokens = (await home.http.post("/oauth/token", data=first | {"refresh_token": tokens["refresh_token"]})).json()
    return tokens, {"code": redeem, "refresh_token": first}

"""Connected as a whole, every address that the metadata advertises answers."""

from urllib.parse import urlsplit

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.app.account.house import NOW, SITE, house


@pytest.mark.security("DI-21")
async def test_nothing_that_is_advertised_is_missing(engine: AsyncEngine) -> None:
    async with house(engine) as home:
        metadata = (await home.http.get("/.well-known/oauth-authorization-server")).json()
        addresses = {name: url for name, url in metadata.items() if name.endswith(("_endpoint", "jwks_uri"))}
        answers = {name: await home.http.get(urlsplit(url).path) for name, url in addresses.items()}

    assert {"authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"} <= set(answers)
    assert [name for name, answer in answers.items() if answer.status_code == 404] == []
    assert all(url.startswith(f"{SITE}/") for url in addresses.values())


async def test_the_chores_are_done_on_an_empty_database(engine: AsyncEngine) -> None:
    async with house(engine) as home:
        for chore in home.oauth.chores:
            await chore(NOW)

        assert (await home.oauth.keys.jwks(NOW))["keys"]


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

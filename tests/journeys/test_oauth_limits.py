"""The limits of the OAuth endpoints in the whole gateway, with and without Redis."""

import asyncio
from pathlib import Path

import pytest

from tests.journeys.host import new_host, started
from tests.journeys.hosted import Hosted
from tests.journeys.person import Person
from tests.journeys.sign_in_site import CLIENTS_SETTING, PUBLIC, DocumentServer, SignInSite
from tests.redis import SlowRoad, redis_server

CALLBACK = "http://127.0.0.1:33420/callback"


async def connected(site: SignInSite, person: Person) -> tuple[Hosted, dict[str, str]]:
    """An app with tokens, and the code that it had them for."""
    app = Hosted(site, CALLBACK, "desk/1", client_id=PUBLIC)
    await app.discover(f"{site.origin}/.well-known/oauth-protected-resource/mcp")
    address, state, verifier = app.begin("sparks:read")
    answer = await person.allow(address)
    await app.finish(answer, state, verifier)
    code = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": CALLBACK}
    return app, {**code, "code_verifier": verifier}


@pytest.mark.security("FI-04", "FI-05")
async def test_a_redis_that_was_replaced_by_one_that_knows_nothing_brings_back_nothing_that_had_ended(
    tmp_path: Path,
) -> None:
    async def counts_together(site: SignInSite) -> None:
        async with asyncio.timeout(60), site.web() as web:
            while (await web.get("/mcp")).json()["components"]["limits"]["counting"] != "shared":  # noqa: ASYNC110  a process looks for Redis
                await asyncio.sleep(0.05)

    with redis_server() as primary, redis_server() as replica:
        road = SlowRoad(primary.port)
        host = new_host(
            tmp_path, OAUTH_CLIENTS=CLIENTS_SETTING, REDIS_URL=road.url, REDIS_PATIENCE_SECONDS="5", CACHE_TOKEN="86400"
        )
        site = SignInSite(host, DocumentServer())
        async with road.open(), started(host), site.somebody() as person:
            (redeemer, code), (renewer, _), (leaver, _) = [await connected(site, person) for _ in range(3)]
            first = renewer.tokens["refresh_token"]
            await renewer.refresh()
            await renewer.refresh()
            await leaver.revoke()
            await counts_together(site)

            road.there = replica.port  # none of what was written has arrived there
            primary.kill()
            await counts_together(site)
            again = [
                await redeemer.redeem(**code),
                await renewer.redeem(grant_type="refresh_token", refresh_token=first),
                await leaver.redeem(grant_type="refresh_token", refresh_token=leaver.tokens["refresh_token"]),
            ]
            ended = [await app.rpc("tools/list", app.tokens["access_token"]) for app in (redeemer, renewer, leaver)]
            newcomer, _ = await connected(site, person)

    assert [(answer.status_code, answer.json()["error"]) for answer in again] == [(400, "invalid_grant")] * 3
    assert [answer.status_code for answer in ended] == [401] * 3
    assert newcomer.tokens

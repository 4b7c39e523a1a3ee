"""The limits of the OAuth endpoints in the whole gateway, with and without Redis."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.edge import Edge, running, settings_for
from tests.journeys.host import new_host, started
from tests.journeys.hosted import Hosted
from tests.journeys.house import CLIENTS_SETTING, DESK, House, Shelf
from tests.journeys.person import Person
from tests.redis import SlowRoad, redis_server

REGISTRATION = {"redirect_uris": ["https://app.example/cb"], "token_endpoint_auth_method": "none"}
CALLBACK = "http://127.0.0.1:33420/callback"
TOKEN = {"grant_type": "refresh_token", "client_id": "nobody", "refresh_token": "x"}


@pytest.mark.security("RL-01", "RL-03", "RG-34")
async def test_a_flood_of_registrations_is_told_how_long_to_wait(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, rate_limit_oauth="register=60/10minutes")) as edge:
        answers = [
            await edge.client.post("/oauth/register", json=REGISTRATION, headers={"x-forwarded-for": f"192.0.2.{n}"})
            for n in range(62)
        ]
        discovery = await edge.client.get("/.well-known/oauth-authorization-server")

    assert [answer.status_code for answer in answers] == [201] * 60 + [429] * 2
    assert 0 < int(answers[-1].headers["retry-after"]) <= 600
    assert answers[-1].json()["error"] == "temporarily_unavailable"
    assert discovery.status_code == 200


@pytest.mark.security("FI-02", "RL-11")
async def test_without_redis_tokens_wait_while_calls_go_on(tmp_path: Path) -> None:
    with redis_server() as redis:
        settings = settings_for(tmp_path, redis_url=redis.url, redis_patience_seconds=1)
        async with running(settings) as edge:
            before = await edge.client.post("/oauth/token", data=TOKEN)
            redis.kill()
            calls = [(await edge.call("private", key=edge.key)).status_code for _ in range(20)]
            token = await edge.client.post("/oauth/token", data=TOKEN)
            register = await edge.client.post("/oauth/register", json=REGISTRATION)
            health, ready = await edge.client.get("/mcp"), await edge.client.get("/readyz")

    assert before.status_code == 401
    assert calls == [200] * 20
    assert (token.status_code, register.status_code) == (503, 503)
    assert {answer.json()["error"] for answer in (token, register)} == {"temporarily_unavailable"}
    assert all(int(answer.headers["retry-after"]) > 0 for answer in (token, register))
    assert (health.json()["status"], health.json()["components"]["limits"]["counting"]) == ("degraded", "local")
    assert ready.status_code == 200


@pytest.mark.security("FI-01")
async def test_a_process_that_never_saw_its_redis_lives_serves_and_is_not_ready(tmp_path: Path) -> None:
    with redis_server() as redis:
        redis.kill()
        async with running(settings_for(tmp_path, redis_url=redis.url)) as edge:
            alive, ready = await edge.client.get("/livez"), await edge.client.get("/readyz")
            call = await edge.call("private", key=edge.key)

    assert (alive.status_code, ready.status_code, call.status_code) == (200, 503, 200)


@pytest.mark.security("RL-15")
async def test_a_429_consumes_neither_a_code_nor_a_refresh_token(tmp_path: Path) -> None:
    with redis_server() as redis:
        limit = {"REDIS_URL": redis.url, "REDIS_PATIENCE_SECONDS": "5", "RATE_LIMIT_OAUTH": "token=1/hour"}
        host = new_host(tmp_path, OAUTH_CLIENTS=CLIENTS_SETTING, **limit)
        house = House(host, Shelf(""))
        app = Hosted(house, CALLBACK, "desk/1", client_id=DESK)
        async with started(host), house.somebody() as person:
            await app.discover(f"{house.origin}/.well-known/oauth-protected-resource/mcp")
            address, _, verifier = app.begin("sparks:read")
            answer = await person.allow(address)
            code = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": CALLBACK}

            guess = await app.redeem(grant_type="refresh_token", refresh_token="x")  # the address has asked enough
            wrong = [await app.redeem(**code)]  # and so has who holds the code, in a window of its own
            told = [await app.redeem(**code, code_verifier=verifier) for _ in range(2)]
            redis.command("FLUSHALL")  # the hour is over
            tokens = await app.redeem(**code, code_verifier=verifier)
            renewal = {"grant_type": "refresh_token", "refresh_token": tokens.json()["refresh_token"]}
            wrong += [await app.redeem(**renewal, scope="sparks:write")]
            told += [await app.redeem(**renewal) for _ in range(2)]
            redis.command("FLUSHALL")
            renewed = await app.redeem(**renewal)

    assert guess.json()["error"] == "invalid_grant"
    assert [answer.json()["error"] for answer in wrong] == ["invalid_request", "invalid_scope"]
    assert [refused.status_code for refused in told] == [429] * 4
    assert all(0 < int(refused.headers["retry-after"]) <= 3600 for refused in told)
    assert (tokens.status_code, renewed.status_code) == (200, 200)
    assert renewed.json()["refresh_token"] != renewal["refresh_token"]


@pytest.mark.security("FI-03")
async def test_calls_do_not_wait_for_a_redis_that_takes_five_seconds(tmp_path: Path) -> None:
    async def counting(edge: Edge) -> str:
        told: str = (await edge.client.get("/mcp")).json()["components"]["limits"]["counting"]
        return told

    with redis_server() as redis:
        road, took = SlowRoad(redis.port), []
        async with road.open(), running(settings_for(tmp_path, redis_url=road.url)) as edge:
            before, road.delay = await counting(edge), 5.0
            for _ in range(50):
                started_at = time.monotonic()
                answers = await asyncio.gather(*(edge.call("private", key=edge.key) for _ in range(4)))
                took.append(time.monotonic() - started_at)
                assert {answer.status_code for answer in answers} == {200}
            while_slow, road.delay = await counting(edge), 0.0
            async with asyncio.timeout(60):
                while await counting(edge) != "shared":  # noqa: ASYNC110  another task looks for Redis
                    await asyncio.sleep(0.1)

    assert (before, while_slow) == ("shared", "local")
    assert max(took) < 5.0  # nobody waited for an answer of Redis


async def connected(house: House, person: Person) -> tuple[Hosted, dict[str, str]]:
    """An app with tokens, and the code that it had them for."""
    app = Hosted(house, CALLBACK, "desk/1", client_id=DESK)
    await app.discover(f"{house.origin}/.well-known/oauth-protected-resource/mcp")
    address, state, verifier = app.begin("sparks:read")
    answer = await person.allow(address)
    await app.finish(answer, state, verifier)
    code = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": CALLBACK}
    return app, {**code, "code_verifier": verifier}


@pytest.mark.security("FI-04", "FI-05")
async def test_a_redis_that_was_replaced_by_one_that_knows_nothing_brings_back_nothing_that_had_ended(
    tmp_path: Path,
) -> None:
    async def counts_together(house: House) -> None:
        async with asyncio.timeout(60), house.web() as web:
            while (await web.get("/mcp")).json()["components"]["limits"]["counting"] != "shared":  # noqa: ASYNC110  a process looks for Redis
                await asyncio.sleep(0.05)

    with redis_server() as primary, redis_server() as replica:
        road = SlowRoad(primary.port)
        host = new_host(
            tmp_path, OAUTH_CLIENTS=CLIENTS_SETTING, REDIS_URL=road.url, REDIS_PATIENCE_SECONDS="5", CACHE_TOKEN="86400"
        )
        house = House(host, Shelf(""))
        async with road.open(), started(host), house.somebody() as person:
            (redeemer, code), (renewer, _), (leaver, _) = [await connected(house, person) for _ in range(3)]
            first = renewer.tokens["refresh_token"]
            await renewer.refresh()
            await renewer.refresh()
            await leaver.revoke()
            await counts_together(house)

            road.there = replica.port  # none of what was written has arrived there
            primary.kill()
            await counts_together(house)
            again = [
                await redeemer.redeem(**code),
                await renewer.redeem(grant_type="refresh_token", refresh_token=first),
                await leaver.redeem(grant_type="refresh_token", refresh_token=leaver.tokens["refresh_token"]),
            ]
            ended = [await app.rpc("tools/list", app.tokens["access_token"]) for app in (redeemer, renewer, leaver)]
            newcomer, _ = await connected(house, person)

    assert [(answer.status_code, answer.json()["error"]) for answer in again] == [(400, "invalid_grant")] * 3
    assert [answer.status_code for answer in ended] == [401] * 3
    assert newcomer.tokens

"""Credentials at `/mcp`: what is taken, what is refused, and that nothing else ever signs anybody in."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from app.authentication import GatewayAuthenticator
from app.composition import Parts
from app.storage.engine import open_engine
from mcp_server.caller import current_caller
from oauth.errors import StoreUnavailable
from oauth.flows.accounts import disable_user
from oauth.flows.api_keys import create_key, revoke_key, rotate_key
from oauth.models import NewKey, User, Verified
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier
from tests.edge import ERAS, LEGACY, PATIENCE, READ, Edge, Stage, request, running, settings_for, toolset

GARBAGE = [
    "minds_",
    "x",
    "minds_" + "0" * 48,
    "aox_" + "f" * 48,
    "[object",
    "../../etc/passwd",
    "'OR'1'='1",
    "%00",
    "*",
]
GARBAGE += ["eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"]
OTHER_FORMS = ["", "Bearer", "Bearer ", "{}", "Bearer {} extra", "Bearer  {}", "Bearer\t{}", "Bearer {},", "Basic {}"]
OTHER_FORMS += ['Bearer "{}"', "Bearer {0}, Bearer {0}", "Bearer {}\x7f", "DPoP {}"]


@pytest.mark.security("AK-01", "RS-20")
@pytest.mark.parametrize("era", ERAS)
async def test_a_good_key_may_call(edge: Edge, era: str) -> None:
    response = await edge.call("private", era=era, key=edge.key)

    assert response.status_code == 200
    assert response.json()["result"]["structuredContent"] == {"text": "secret"}


@pytest.mark.security("RS-04")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", ["tools/list", "ping"])
@pytest.mark.parametrize("token", GARBAGE)
async def test_a_bad_credential_is_refused_whatever_is_asked(edge: Edge, token: str, method: str, era: str) -> None:
    response = await edge.rpc(method, era=era, key=token)

    challenges = response.headers.get_list("www-authenticate")
    assert response.status_code == 401
    assert len(challenges) == 1
    assert challenges[0].startswith('Bearer error="invalid_token"')
    assert "resource_metadata=" in challenges[0]
    assert token not in response.text or len(token) < 5
    assert token not in challenges[0] or len(token) < 5


@pytest.mark.security("RS-04")
@pytest.mark.parametrize("era", ERAS)
async def test_who_shows_a_dead_credential_hears_which_scopes_to_sign_in_anew_for(edge: Edge, era: str) -> None:
    listing = await edge.rpc("tools/list", era=era, key="dead")
    call = await edge.call("private", era=era, key="dead")

    known = (await edge.client.get("/.well-known/oauth-protected-resource/mcp")).json()["scopes_supported"]
    assert scopes_in(listing) == set(known)
    assert scopes_in(call) == (set(known) if era == LEGACY else set(READ))


def scopes_in(response: httpx2.Response) -> set[str]:
    found = re.search(r'scope="([^"]*)"', response.headers["www-authenticate"])
    assert found is not None
    return set(found[1].split())


@pytest.mark.security("AK-02")
async def test_near_misses_of_a_key_are_refused(edge: Edge) -> None:
    key = edge.key
    misses = [
        key[:-1],
        key + "0",
        key[:-1] + ("0" if key[-1] != "0" else "1"),
        key.upper(),
        key[::-1],
        key[6:],
        key[:30],
    ]
    misses += ["minds_%", "minds_*", key.replace("minds_", "aox_"), key.replace("_", "-"), key + "%00"]

    statuses = {miss: (await edge.rpc("tools/list", key=miss)).status_code for miss in misses}

    assert set(statuses.values()) == {401}


@pytest.mark.security("RS-14")
@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "bEaReR"])
async def test_the_case_of_the_scheme_does_not_matter(edge: Edge, scheme: str) -> None:
    response = await edge.call("private", headers={"authorization": f"{scheme} {edge.key}"})

    assert response.status_code == 200


@pytest.mark.security("RS-15")
@pytest.mark.parametrize("form", OTHER_FORMS)
async def test_another_form_of_the_header_is_refused_and_never_anonymous(edge: Edge, form: str) -> None:
    response = await edge.call("say", headers={"authorization": form.format(edge.key)})

    assert response.status_code == 401


@pytest.mark.security("RS-15")
async def test_two_credentials_are_refused_even_if_both_are_good(edge: Edge) -> None:
    headers, body = request("tools/list")
    twice = [("authorization", f"Bearer {edge.key}")] * 2

    response = await edge.client.post("/mcp", headers=[*headers.items(), *twice], json=body)

    assert response.status_code == 401


@pytest.mark.security("RS-11", "AK-05")
async def test_a_key_is_taken_from_the_header_only(edge: Edge) -> None:
    headers, body = request("tools/call", {"name": "private"})
    places = [
        (f"/mcp?access_token={edge.key}", {}),
        (f"/mcp?api_key={edge.key}", {}),
        ("/mcp", {"cookie": f"access_token={edge.key}; session={edge.key}"}),
        ("/mcp", {"x-api-key": edge.key}),
        ("/mcp", {"proxy-authorization": f"Bearer {edge.key}"}),
    ]

    statuses = [
        (await edge.client.post(path, headers={**headers, **more}, json=body)).status_code for path, more in places
    ]
    in_body = await edge.call("private", {"access_token": edge.key})

    assert statuses == [401] * len(places)
    assert in_body.status_code == 401


@pytest.mark.security("RS-21")
@pytest.mark.parametrize("body", [b"", b"{", b"[" * 60_000, b"\xff" * 1_000, b" " * 5_000_000])
async def test_a_bad_credential_is_refused_before_the_body_is_read(edge: Edge, body: bytes) -> None:
    response = await edge.post(body, authorization="Bearer nobody")

    assert response.status_code == 401


class Broken:
    """The key store, while its database is down."""

    async def check(self, key: str) -> Verified | None:
        raise StoreUnavailable("password=hunter2 host=db")


@pytest.mark.security("AK-06")
@pytest.mark.parametrize("era", ERAS)
async def test_a_key_that_cannot_be_checked_is_503_and_never_nobody_and_never_somebody(
    tmp_path: Path, era: str
) -> None:
    settings = settings_for(tmp_path)
    parts = Parts([toolset(Stage())], GatewayAuthenticator(Verifier(Broken()), settings.resource).caller)

    async with running(settings, parts) as edge:
        public, private = [await edge.call(tool, era=era, key=edge.key) for tool in ("say", "private")]

    assert (public.status_code, private.status_code) == (503, 503)
    assert "hunter2" not in public.text


@pytest.mark.security("AK-04")
@pytest.mark.parametrize("end", ["revoked", "rotated", "disabled"])
async def test_a_key_that_ended_or_has_expired_is_refused_within_the_second(tmp_path: Path, end: str) -> None:
    settings = settings_for(tmp_path)
    async with running(settings) as edge:
        engine = open_engine(settings.database)
        store, now = AccountStore(engine), datetime.now(UTC)
        user = User("8c4b0f0e-45f5-4f0a-9d3b-6f3f0a8f7a01", "ada@example.com", now)
        await store.add_user(user)
        made = await create_key(store, user, name="k", scopes=READ, lifetime=None, now=now)
        then, day = now - timedelta(days=2), timedelta(days=1)
        old = await create_key(store, user, name="old", scopes=READ, lifetime=day, now=then)
        accepted, expired = await edge.call("private", key=made.secret), await edge.call("private", key=old.secret)

        await finish(end, store, made)
        refused = await until_refused(edge, made.secret)
        others = await edge.call("private", key=edge.key)
        await engine.dispose()

    assert (accepted.status_code, refused, others.status_code, expired.status_code) == (200, 401, 200, 401)


async def finish(end: str, store: AccountStore, made: NewKey) -> None:
    now = datetime.now(UTC)
    match end:
        case "revoked":
            await revoke_key(store, made.key.id, now)
        case "rotated":
            await rotate_key(store, made.key.id, overlap=timedelta(), lifetime=None, now=now)
        case "disabled":
            await disable_user(store, "ada@example.com", now)


async def until_refused(edge: Edge, key: str) -> int:
    """The status as soon as it is not 200; another process notices a revocation by looking."""
    status = 200
    async with asyncio.timeout(PATIENCE):
        while status == 200:
            status = (await edge.call("private", key=key)).status_code
            await asyncio.sleep(0.05)
    return status


@pytest.mark.security("RS-31")
@pytest.mark.parametrize("era", ERAS)
async def test_requests_at_once_with_the_same_ids_each_get_their_own_answer_and_caller(edge: Edge, era: str) -> None:
    keys = [edge.key, None, edge.narrow_key, edge.key] * 10

    async def one(number: int, key: str | None) -> tuple[int, str]:
        response = await edge.call("private", {"text": str(number)}, era=era, key=key)
        return response.status_code, response.json().get("result", {}).get("structuredContent", {}).get("text", "")

    answers = await asyncio.gather(*(one(number, key) for number, key in enumerate(keys)))

    expected = {edge.key: 200, None: 401, edge.narrow_key: 403}
    assert answers == [(expected[key], str(number) if expected[key] == 200 else "") for number, key in enumerate(keys)]


async def test_nobody_is_left_behind_when_the_request_is_over(edge: Edge) -> None:
    await edge.call("private", key=edge.key)

    assert current_caller.get().is_anonymous

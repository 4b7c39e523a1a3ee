"""Decisions: how an app is introduced, what is remembered, and that each request is answered once."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Conflict, Unknown
from oauth.flows.consent import ConnectedApps, Consents, introduced
from oauth.grants import AuthorizationRequest, Client, Device, Grant
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores import Stores
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import ConsentStore
from tests.oauth.browsing import CHALLENGE, REDIRECT, SITE, client

SETTINGS = OAuthSettings(SITE, ALL)
READ, WRITE = "sparks:read", "sparks:write"
DOCUMENT = "https://claude.ai/oauth/client.json"


@pytest.fixture
def grants(engine: AsyncEngine) -> GrantStore:
    return GrantStore(engine)


@pytest.fixture
def flow(engine: AsyncEngine, grants: GrantStore) -> Consents:
    return Consents(ConsentStore(engine), grants, SETTINGS)


def request(now: datetime, request_id: str = "r1", **changes: object) -> AuthorizationRequest:
    values: dict[str, object] = {
        "id": request_id,
        "client_id": "app",
        "redirect_uri": REDIRECT,
        "redirect_given": True,
        "challenge": CHALLENGE,
        "state": None,
        "scopes": frozenset({READ, WRITE}),
        "resource": f"{SITE}/mcp",
        "prompt": frozenset(),
        "issued_at": now,
        **changes,
    }
    return AuthorizationRequest(**values)  # type: ignore[arg-type]  # a test's own


async def remembers(flow: Consents, ada: User, now: datetime, asked: AuthorizationRequest, app: Client) -> bool:
    await flow.allow(asked, app, ada.id, asked.scopes, now)
    return await flow.is_remembered(replace(asked, id="r2"), app, ada.id, now)


async def test_a_code_is_bound_to_all_that_was_asked_and_allowed(
    flow: Consents, grants: GrantStore, ada: User, now: datetime
) -> None:
    code = await flow.allow(request(now, asked="openid"), client(), ada.id, frozenset({READ}), now)

    kept = await grants.find_code(digest(code))
    assert kept is not None
    assert (kept.client_id, kept.redirect_uri, kept.challenge) == ("app", REDIRECT, CHALLENGE)
    assert kept.scopes == {READ}
    assert (kept.resource, kept.expires_at) == (f"{SITE}/mcp", now + SETTINGS.code)
    grant = await grants.find_grant(kept.grant_id)
    assert grant is not None
    assert (grant.user_id, grant.client_name, grant.redirect_host) == (ada.id, "Some App", "app.example")
    assert grant.scopes == {READ}
    assert set(grant.asked.split(" ")) == {READ, WRITE, "openid"}
    assert grant.expires_at == now + SETTINGS.family


@pytest.mark.security("CO-06", "CO-15")
async def test_of_ten_answers_at_once_one_counts(flow: Consents, ada: User, now: datetime) -> None:
    asked = request(now)
    allowing = [flow.allow(asked, client(), ada.id, asked.scopes, now) for _ in range(5)]
    refusing = [flow.refuse(asked, now) for _ in range(5)]

    results = await asyncio.gather(*allowing, *refusing, return_exceptions=True)

    assert len([each for each in results if not isinstance(each, Conflict)]) == 1
    assert len([each for each in results if isinstance(each, Conflict)]) == 9


@pytest.mark.security("CO-13")
async def test_a_subset_is_remembered_and_more_is_not(flow: Consents, ada: User, now: datetime) -> None:
    await flow.allow(request(now), client(), ada.id, frozenset({READ}), now)

    narrow, wide = request(now, scopes=frozenset({READ})), request(now, scopes=frozenset({READ, WRITE}))
    assert await flow.is_remembered(narrow, client(), ada.id, now)
    assert not await flow.is_remembered(wide, client(), ada.id, now)
    assert not await flow.is_remembered(narrow, client(), ada.id, now + SETTINGS.consent)


@pytest.mark.security("CO-09", "CO-13")
async def test_another_client_another_host_and_another_person_are_asked(
    flow: Consents, ada: User, now: datetime
) -> None:
    await flow.allow(request(now), client(), ada.id, frozenset({READ, WRITE}), now)

    elsewhere = request(now, redirect_uri="https://new.example/cb")
    assert not await flow.is_remembered(request(now), client("twin"), ada.id, now)
    assert not await flow.is_remembered(elsewhere, client(), ada.id, now)
    assert not await flow.is_remembered(request(now), client(), "somebody else", now)


LOOPBACK = "http://127.0.0.1:4711/callback"


ON_DEVICE = [LOOPBACK, "http://localhost/callback", "cursor://anysphere.cursor-mcp/cb"]


@pytest.mark.parametrize("asked", [{"resource": f"{SITE}/api/v1"}, *({"redirect_uri": each} for each in ON_DEVICE)])
@pytest.mark.parametrize("app", [client(), client(DOCUMENT, kind="document")])
async def test_a_program_on_the_device_or_another_resource_is_asked_about_each_time(
    flow: Consents, ada: User, now: datetime, asked: dict[str, str], app: Client
) -> None:
    # RFC 8252 section 8.6
    assert not await remembers(flow, ada, now, request(now, **asked), app)


async def test_a_client_that_must_prove_itself_is_remembered_on_loopback_too(
    flow: Consents, ada: User, now: datetime
) -> None:
    secretive = client(auth_methods=frozenset({"client_secret_basic"}))

    assert await remembers(flow, ada, now, request(now, redirect_uri=LOOPBACK), secretive)


@pytest.mark.security("CI-11")
def test_a_document_is_vouched_for_by_its_host_and_its_redirect_is_compared() -> None:
    document = client(DOCUMENT, kind="document", name="Claude")

    home = introduced(document, "https://claude.ai/api/mcp/auth_callback")
    away = introduced(document, "https://evil.example/cb")
    device = introduced(document, "http://localhost:3118/callback")
    assert [home[word] for word in ("verified_host", "vouched", "elsewhere", "on_device")] == [
        "claude.ai",
        True,
        False,
        False,
    ]
    assert (away["elsewhere"], device["elsewhere"], device["on_device"]) == (True, False, True)


HOUR = timedelta(hours=1)


def grant_of(user: User, now: datetime, client_id: str, *scopes: str) -> Grant:
    return Grant(
        str(uuid4()), user.id, client_id, client_id.title(), "host", frozenset(scopes), "https://a/mcp", now, now + HOUR
    )


async def test_the_grants_of_one_client_are_one_app(engine: AsyncEngine, ada: User, now: datetime) -> None:
    store = GrantStore(engine)
    apps = ConnectedApps(Stores(engine))
    first, second = grant_of(ada, now - HOUR / 2, "app", "sparks:read"), grant_of(ada, now, "app", "flows:read")
    for grant in (first, second, grant_of(ada, now - HOUR / 4, "other"), replace(first, id="old", expires_at=now)):
        await store.add_grant(grant)
    await store.touch({first.id: now})

    listed = await apps.list_apps(ada.id, now)
    assert [app.client_id for app in listed] == ["app", "other"]
    assert (listed[0].scopes, listed[0].since) == (frozenset({"sparks:read", "flows:read"}), first.created_at)
    assert listed[0].last_used_at == now

    await apps.disconnect(ada.id, "app", now)
    assert [await store.find_live_grant(grant.id, now) for grant in (first, second)] == [None, None]
    assert [app.client_id for app in await apps.list_apps(ada.id, now)] == ["other"]
    with pytest.raises(Unknown):
        await apps.disconnect(ada.id, "app", now)


async def test_a_device_that_was_let_in_is_a_part_of_its_app_before_it_asks(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    store, devices = GrantStore(engine), DeviceStore(engine)
    apps = ConnectedApps(Stores(engine))
    scopes = frozenset({"docs:read"})
    for number, begun in enumerate((now, now - HOUR)):
        end = begun + HOUR / 2
        await devices.add_device(Device(f"{number}", f"{number}", "app", "App", scopes, "https://a/mcp", begun, end, 5))
        assert await devices.decide(f"{number}", user_id=ada.id, scopes=scopes, now=begun)
    await store.add_grant(grant_of(ada, now - HOUR / 2, "app", "sparks:read"))

    (app,) = await apps.list_apps(ada.id, now)
    assert (app.scopes, app.since) == (frozenset({"sparks:read", "docs:read"}), now - HOUR / 2)
    assert (app.redirect_host, app.last_used_at) == (None, None)

    await apps.disconnect(ada.id, "app", now)
    assert await apps.list_apps(ada.id, now) == []
    assert await devices.find_device("0") is not None


@pytest.mark.security("CO-17")
async def test_a_device_that_asks_during_the_disconnection_is_ended_whoever_comes_first(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    store, devices = GrantStore(engine), DeviceStore(engine)
    apps = ConnectedApps(Stores(engine))
    for number in range(6):
        digest, grant = f"{number}", grant_of(ada, now, f"app {number}", "docs:read")
        device = Device(digest, digest, grant.client_id, "App", grant.scopes, "https://a/mcp", now, now + HOUR, 5)
        await devices.add_device(device)
        assert await devices.decide(digest, user_id=ada.id, scopes=grant.scopes, now=now)

        await asyncio.gather(
            apps.disconnect(ada.id, grant.client_id, now), devices.use_device(digest, grant, None, now)
        )

        assert await store.find_live_grant(grant.id, now) is None

"""A revoked key and a disconnected app come back within ten seconds, in the same session, once."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.flows.api_keys import create_key, revoke_key
from oauth.models import NewKey, User
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from oauth.verifier import Verifier
from tests.app.account.house import NOW, Browser, House, hidden_value, house
from tests.oauth.delegations import grant_of, refresh_of

SECOND = timedelta(seconds=1)
KEYS, APPS = "/account/keys", "/account"


@pytest.fixture
async def home(engine: AsyncEngine) -> AsyncIterator[House]:
    async with house(engine) as opened:
        yield opened


@pytest.fixture
async def ada(home: House) -> User:
    return await home.account("ada@example.com")


@pytest.fixture
async def browser(home: House, ada: User) -> Browser:
    return await home.browser(ada)


@pytest.fixture
async def key(home: House, ada: User) -> NewKey:
    return await create_key(home.oauth.stores.accounts, ada, name="laptop", scopes=ALL, lifetime=None, now=NOW)


async def offered(browser: Browser, path: str) -> str:
    page = (await browser.get(path)).text
    return hidden_value(page, "undo") if 'name="undo"' in page else ""


async def test_a_key_stops_at_once_and_works_again_in_every_process_after_undo(
    home: House, browser: Browser, key: NewKey, engine: AsyncEngine
) -> None:
    other = Verifier(home.oauth.verifier._checker, AccountStore(engine).revisions, notice_every=0)
    verified = [await each.verify(key.secret) is not None for each in (home.oauth.verifier, other)]
    await browser.post(f"/account/keys/{key.key.id}/revoke")
    revoked = [await each.verify(key.secret) is not None for each in (home.oauth.verifier, other)]
    page = (await browser.get(KEYS)).text
    home.clock.time += 9 * SECOND

    done = await browser.post("/account/keys/undo", undo=hidden_value(page, "undo"))

    restored = [await each.verify(key.secret) is not None for each in (home.oauth.verifier, other)]
    assert (verified, revoked, restored) == ([True] * 2, [False] * 2, [True] * 2)
    assert re.search(r"Revoked\s*<strong><bdi>laptop", page)
    assert done.status_code == 303
    assert await offered(browser, KEYS) == ""
    assert "Took the revocation of a key back" in (await browser.get("/account/activity")).text


async def test_after_ten_seconds_it_is_neither_offered_nor_done(home: House, browser: Browser, key: NewKey) -> None:
    await browser.post(f"/account/keys/{key.key.id}/revoke")
    undo = await offered(browser, KEYS)
    home.clock.time += 11 * SECOND

    late = await browser.post("/account/keys/undo", undo=undo)

    assert late.status_code == 400
    assert "more than ten seconds ago" in late.text
    assert await offered(browser, KEYS) == ""
    assert await home.oauth.verifier.verify(key.secret) is None


async def test_it_is_done_once(home: House, browser: Browser, key: NewKey) -> None:
    await browser.post(f"/account/keys/{key.key.id}/revoke")
    undo = await offered(browser, KEYS)
    await browser.post("/account/keys/undo", undo=undo)
    # Within the same millisecond: what was sealed for the first time must not take back the second.
    await revoke_key(home.oauth.stores.accounts, key.key.id, NOW)

    again = await browser.post("/account/keys/undo", undo=undo)

    assert again.status_code == 400
    assert await home.oauth.verifier.verify(key.secret) is None


async def test_another_session_cannot_undo_not_even_of_the_same_account(
    home: House, ada: User, browser: Browser, key: NewKey
) -> None:
    others = [await home.browser(ada), await home.browser(await home.account("bob@example.com"))]
    await browser.post(f"/account/keys/{key.key.id}/revoke")
    undo = await offered(browser, KEYS)

    answers = [(await other.post("/account/keys/undo", undo=undo)).status_code for other in others]
    forged = [
        (await browser.post(f"/account/{tab}/undo", undo=text)).status_code
        for tab, text in (("keys", undo[:-2]), ("keys", ""), ("apps", undo))
    ]

    assert answers == [400, 400]
    assert forged == [400, 400, 400]
    assert await home.oauth.verifier.verify(key.secret) is None
    assert (await browser.post("/account/keys/undo", undo=undo, csrf="0" * 64)).status_code == 403
    assert (await browser.post("/account/keys/undo", undo=undo)).status_code == 303


async def test_what_an_operator_revokes_meanwhile_stays_revoked(
    home: House, ada: User, browser: Browser, key: NewKey
) -> None:
    await home.connected(ada)
    await browser.post(f"/account/keys/{key.key.id}/revoke")
    of_key = await offered(browser, KEYS)
    await browser.post("/account/apps/disconnect", client_id="client_a")
    of_app = await offered(browser, APPS)
    await revoke_key(home.oauth.stores.accounts, key.key.id, NOW + SECOND)
    await home.oauth.stores.clients.revoke_client("client_a", NOW + SECOND)

    answers = [
        await browser.post("/account/keys/undo", undo=of_key),
        await browser.post("/account/apps/undo", undo=of_app),
    ]

    assert [answer.status_code for answer in answers] == [400, 400]
    assert await home.oauth.verifier.verify(key.secret) is None
    assert await home.oauth.stores.grants.list_grants(ada.id, NOW) == []


async def test_an_app_comes_back_with_its_tokens_and_is_asked_about_at_the_next_sign_in(
    home: House, ada: User, browser: Browser
) -> None:
    grants = home.oauth.stores.grants
    held = [await home.connected(ada), grant_of(ada, NOW, client_id="client_a", client_name="Cursor")]
    refresh = refresh_of(held[1], NOW)
    await grants.add_grant(held[1], refresh)
    await grants.revoke_grant(held[0].id, "revoked", NOW - SECOND)
    await browser.post("/account/apps/disconnect", client_id="client_a")
    before = await grants.find_live_grant(held[1].id, NOW)

    done = await browser.post("/account/apps/undo", undo=await offered(browser, APPS))

    assert before is None
    assert done.status_code == 303
    assert [await grants.find_live_grant(grant.id, NOW) is not None for grant in held] == [False, True]
    successor = refresh_of(held[1], NOW, "next")
    assert await grants.rotate(refresh.digest, successor, "sealed", NOW - 30 * SECOND, NOW) == held[1]
    assert await home.oauth.stores.consents.find_consent(ada.id, "client_a", "localhost", NOW) is None
    page = (await browser.get(APPS)).text
    assert "Cursor" in page
    assert await offered(browser, APPS) == ""
    assert "Connected an app again" in (await browser.get("/account/activity")).text


async def test_a_device_that_had_fetched_nothing_stays_refused(home: House, ada: User, browser: Browser) -> None:
    digest = await home.let_in(ada)
    await browser.post("/account/apps/disconnect", client_id="client_a")

    refused = await browser.post("/account/apps/undo", undo=await offered(browser, APPS))

    device = await home.oauth.stores.devices.find_device(digest)
    assert refused.status_code == 400
    assert device is not None
    assert device.status == "denied"

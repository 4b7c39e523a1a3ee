"""What a person does on the account page and on the page that connects clients, with a real browser."""

import asyncio
import sqlite3
from dataclasses import replace

import httpx2
import pytest
from playwright.async_api import Locator, Page

from tests.browser.app import App
from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
from tests.browser.pages import Account, confirm, follow, path, press, sign_in
from tests.edge import LEGACY, request

LIST_TOOL = "list_my_ai_personas"
LONG = "Laptop " + "Rindfleischetikettierungsüberwachungs" * 2
PERSONA = {"name": "Ada", "discipline": "Tea", "mode": "keywords", "keywords": ["oolong", "sencha"]}
PATIENCE = 60.0
"""Seconds until something is seen that is written down every ten."""
pytestmark = pytest.mark.anyio


async def called(site: Site, secret: str) -> int:
    """The status of a call with this key or token."""
    headers, body = request("tools/call", {"name": LIST_TOOL, "arguments": {}}, era=LEGACY, key=secret)
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        return (await web.post(f"{site.url}/mcp", headers=headers, json=body)).status_code


async def create_key(page: Page, name: str) -> str:
    """Fill in the form for a new key and send it: the key, which is on the page now."""
    await page.get_by_label("What is it for?").fill(name)
    await press(page, "Create key")
    return await shown_key(page)


async def shown_key(page: Page) -> str:
    return (await page.locator("pre").inner_text()).strip()


async def connect(page: Page, app: App, scope: str = "sparks:read sparks:write") -> str:
    """Let the app in; its access token."""
    question = app.ask(scope)
    await page.goto(question.address)
    await press(page, "Allow")
    token: str = (await app.redeem(question))["access_token"]
    return token


async def seen(page: Page, words: Locator) -> None:
    """Load the page again until the words are there."""
    async with asyncio.timeout(PATIENCE):
        while not await words.count():
            await page.reload()


def section(page: Page, heading: str) -> Locator:
    return page.get_by_role("region", name=heading)


async def hold_still(page: Page) -> None:
    """Let nothing disappear by itself while the page is looked at."""
    session = await page.context.new_cdp_session(page)
    await session.send("Animation.enable")
    await session.send("Animation.setPlaybackRate", {"playbackRate": 0})


async def open_tab(page: Page, name: str) -> Locator:
    """Go to this tab of the account by its link, and give what stands on it."""
    await page.goto("/account")
    await page.get_by_role("navigation", name="Your account").get_by_role("link", name=name, exact=True).click()
    assert await page.locator('.tabs [aria-current="page"]').inner_text() == name
    return page.locator("main section")


async def test_a_key_is_made_shown_once_rotated_and_revoked(page_of: PageOf, site: Site, looks: Looks) -> None:
    page = await page_of(site.account("keys"))
    assert path(page) == "/account"
    await open_tab(page, "Keys")

    first = await create_key(page, "laptop")
    await looks.check(page, "new-key")
    assert await called(site, first) == 200
    await follow(page, "Done")
    assert first not in await page.content()
    await press(page, f"Rotate laptop …{first[-4:]}")
    second = await shown_key(page)
    await follow(page, "Done")
    assert second not in await page.content()
    assert [await called(site, key) for key in (first, second)] == [200, 200]
    await confirm(page, "Revoke", f"laptop …{first[-4:]}")
    assert [await called(site, key) for key in (first, second)] == [401, 200]
    await confirm(page, "Revoke", f"laptop …{second[-4:]}")

    assert await called(site, second) == 401
    assert await section(page, "API keys").get_by_text("revoked", exact=True).count() == 2
    happened = await (await open_tab(page, "Activity")).inner_text()
    assert [happened.count(what) for what in ("Created a key", "Rotated a key", "Revoked a key")] == [1, 1, 2]
    assert happened.count(f"Used {LIST_TOOL}") == 4


async def test_a_connected_app_is_seen_with_its_last_use_and_disconnected_after_one_question(
    page_of: PageOf, site: Site, app: App, looks: Looks
) -> None:
    page = await page_of(site.account("apps"))
    token = await connect(page, app)
    apps = section(page, "Connected apps")
    await page.goto("/account")
    assert await apps.get_by_text("not used yet").count() == 1
    assert await called(site, token) == 200
    await seen(page, apps.get_by_text("last used"))

    await apps.locator("summary").click()
    await looks.check(page, "account-disconnecting")
    await press(page, f"Yes, disconnect {await apps.locator('bdi').first.inner_text()}")

    assert await called(site, token) == 401
    assert await apps.locator("summary").count() == 0
    happened = await (await open_tab(page, "Activity")).inner_text()
    for what in ("Signed in", "Allowed an app", f"Used {LIST_TOOL}", "Disconnected an app"):
        assert happened.count(what) == 1, happened
    await page.goto(app.ask().address)
    assert path(page) == "/oauth/consent"


async def test_a_disconnected_app_and_a_revoked_key_come_back_by_undo(
    page_of: PageOf, site: Site, app: App, looks: Looks
) -> None:
    page = await page_of(site.account("sorry"))
    await hold_still(page)
    token = await connect(page, app)
    tab = await open_tab(page, "Connected apps")
    name = await tab.locator("bdi").first.inner_text()
    assert await called(site, token) == 200

    await confirm(page, "Disconnect", name)
    ended = await called(site, token)
    await press(page, "Undo")

    assert [ended, await called(site, token)] == [401, 200]
    assert await tab.get_by_role("button", name="Undo").count() == 0
    await open_tab(page, "Keys")
    key = await create_key(page, "laptop")
    await follow(page, "Done")
    await confirm(page, "Revoke", f"laptop …{key[-4:]}")
    ended = await called(site, key)
    await press(page, "Undo")
    assert [ended, await called(site, key)] == [401, 200]
    await confirm(page, "Revoke", f"laptop …{key[-4:]}")
    await looks.check(page, "account-undo")


async def test_signing_out_ends_the_page_in_every_tab(page_of: PageOf, site: Site, looks: Looks) -> None:
    page = await page_of(site.account("leaving"))
    await looks.check(page, "account-new")
    other = await page.context.new_page()
    await open_tab(other, "Keys")

    await press(page, "Sign out")

    assert await page.get_by_role("heading", level=1).inner_text() == "You are signed out"
    await page.go_back()
    assert path(page) == "/oauth/login"
    await other.get_by_label("What is it for?").fill("laptop")
    await press(other, "Create key")
    assert await other.locator("pre").count() == 0


async def test_another_browser_is_signed_out_from_this_one(page_of: PageOf, site: Site, looks: Looks) -> None:
    account = site.account("two-browsers")
    here, there, elsewhere = [await page_of(account) for _ in range(3)]
    tab = await open_tab(here, "Sessions")
    assert await tab.get_by_text("Chrome on Linux", exact=True).count() == 3
    assert await tab.get_by_text("This browser").count() == 1
    await looks.check(here, "account-sessions")

    await press(here, "Sign out all other browsers")

    assert await tab.get_by_text("Chrome on Linux", exact=True).count() == 1
    for page in (there, elsewhere):
        await page.reload()
        assert path(page) == "/oauth/login"


async def test_a_person_changes_the_address_and_signs_in_with_the_new_one(
    page_of: PageOf, site: Site, looks: Looks
) -> None:
    account = site.account("moving")
    page = await page_of(account)
    tab = await open_tab(page, "Settings")
    await tab.locator("summary", has_text="Change address").click()
    await tab.get_by_label("New address").fill(f"moved-{account.email}")
    await tab.get_by_label("Present password").first.fill(account.password)
    await looks.check(page, "account-moving")

    await press(page, "Change address")

    assert await tab.get_by_text(f"moved-{account.email}").count() > 0
    await press(page, "Sign out")
    await page.goto("/oauth/login")
    await sign_in(page, replace(account, email=f"moved-{account.email}"))
    assert path(page) == "/account"


async def test_an_account_and_its_personas_are_deleted_by_their_owner(
    page_of: PageOf, site: Site, looks: Looks
) -> None:
    account = site.account("going")
    page = await page_of(account)
    await open_tab(page, "Keys")
    key = await create_key(page, "laptop")
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        headers = {"authorization": f"Bearer {key}"}
        made = await web.post(f"{site.url}/api/v1/minds", headers=headers, json=PERSONA)
        assert made.status_code == 201, made.text
    tab = await open_tab(page, "Settings")
    await tab.locator("summary", has_text="Delete my account").click()
    await tab.get_by_label("Type ").fill(account.email)
    await tab.get_by_label("Present password").last.fill("not the password")
    await press(page, "Delete my account and all my data")
    assert "wrong" in await page.get_by_role("alert").inner_text()
    await looks.check(page, "account-deleting")
    await tab.get_by_label("Type ").fill(account.email)
    await tab.get_by_label("Present password").last.fill(account.password)

    await press(page, "Delete my account and all my data")

    assert await page.get_by_role("heading", level=1).inner_text() == "Your account is deleted"
    await looks.check(page, "account-deleted")
    assert await called(site, key) == 401
    with sqlite3.connect(f"{site.settings['DATA_DIR']}/gateway.sqlite3") as database:
        minds = "SELECT count(*) FROM minds WHERE id = ?"
        assert database.execute(minds, [made.json()["data"]["id"]]).fetchone() == (0,)
    await page.goto("/oauth/login")
    await sign_in(page, account)
    assert await page.get_by_role("alert").count() == 1


async def test_the_account_page_with_long_names(page_of: PageOf, site: Site, app: App, looks: Looks) -> None:
    page = await page_of(site.account("busy"))
    await open_tab(page, "Keys")
    key = await create_key(page, LONG)
    await follow(page, "Done")
    await press(page, f"Rotate {LONG} …{key[-4:]}")
    await app.register(LONG)
    token = await connect(page, app, "sparks:read sparks:write sparks:chat flows:read flows:write offline_access")
    assert await called(site, token) == 200
    assert (await app.call(token, "talk_to_ai_persona", sparkName=LONG, message="Hello")).status_code == 200

    for tab in ("Connected apps", "Keys", "Activity", "Settings"):
        await open_tab(page, tab)
        await looks.check(page, f"account-{tab.split()[-1].lower()}")


async def test_the_connect_page_unfolds_each_client_and_copies_its_blocks(open_page: OpenPage, looks: Looks) -> None:
    page = await open_page(permissions=["clipboard-read", "clipboard-write"])
    await page.goto("/connect")
    await looks.check(page, "connect")
    clients = page.locator("details.client")
    for client in (await clients.all())[1:]:
        steps = client.get_by_role("listitem").first
        assert not await steps.is_visible()
        await client.locator("summary").click()
        assert await steps.is_visible()

    await page.get_by_role("button", name="Copy the command for Codex").click()

    assert await page.get_by_role("status").inner_text() == "Copied"
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await page.locator("#codex-command").inner_text()
    assert copied.startswith("codex mcp add minds --url http")


async def test_without_scripts_the_connect_page_unfolds_what_its_address_names_and_offers_no_copy(
    open_page: OpenPage,
) -> None:
    page = await open_page(java_script_enabled=False)

    await page.goto("/connect#gemini")

    assert await page.locator("#gemini-block").is_visible()
    assert not await page.locator("#codex-block").is_visible()
    assert await page.get_by_role("button").count() == 0


async def test_a_person_checks_one_client_and_sees_each_step(page_of: PageOf, account: Account, looks: Looks) -> None:
    page = await page_of(account)
    await page.goto("/connect#cursor")

    await follow(page, "Check Cursor")

    cursor = page.locator("details", has=page.get_by_role("heading", name="Cursor", exact=True))
    assert await cursor.locator(".badge").inner_text() == "ready"
    steps = await cursor.locator(".findings li").all_inner_texts()
    assert len(steps) > 5
    assert [step for step in steps if step[0] not in "✓○"] == []
    assert await page.locator(".badge").count() == 1
    await looks.check(page, "connect-checked")

"""What holds for every page: who has signed in stands in its head, and times are the reader's own."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.pages import Account, sign_in

PATHS = (
    *("/", "/personas", "/personas/new", "/personas/nobody", "/panels", "/panels/new", "/panels/nothing", "/connect"),
    *("/account", "/account/keys", "/account/activity", "/account/password", "/account/passkeys", "/account/sessions"),
    *("/account/settings", "/docs", "/docs/pages", "/docs/nowhere", "/oauth/device"),
)
UTC = re.compile(r"\d, \d\d:\d\d UTC$")
pytestmark = pytest.mark.anyio


async def test_every_page_says_who_has_signed_in_and_no_other_does(
    page_of: PageOf, open_page: OpenPage, account: Account
) -> None:
    page, stranger = await page_of(account), await open_page()

    for path in PATHS:
        await page.goto(path)
        await expect(page.get_by_role("banner")).to_contain_text(f"Signed in as {account.email}")
    for path in ("/", "/connect", "/docs", "/oauth/login", "/nowhere"):
        await stranger.goto(path)
        await expect(stranger.get_by_role("banner")).not_to_contain_text("@")


@pytest.mark.parametrize(("zone", "hours"), [("Asia/Kolkata", 5.5), ("America/New_York", -5)])
async def test_times_are_in_the_zone_of_the_reader_and_say_utc_on_demand(
    page_of: PageOf, account: Account, zone: str, hours: float
) -> None:
    page = await page_of(account, timezone_id=zone)

    await page.goto("/account/sessions")

    time = page.locator("main time").first
    minutes = "time => {const at = new Date(time.dateTime); return at.getUTCHours() * 60 + at.getUTCMinutes()}"
    hour, minute = map(int, (await time.inner_text())[-5:].split(":"))
    assert (await time.evaluate(minutes) + hours * 60) % 1440 == hour * 60 + minute
    assert UTC.search(await time.get_attribute("title") or "")


async def test_without_scripts_times_are_in_utc_and_say_so(open_page: OpenPage, site: Site, account: Account) -> None:
    page = await open_page(timezone_id="Asia/Kolkata", java_script_enabled=False)
    await page.goto("/oauth/login")
    await sign_in(page, account)

    await page.goto("/account/sessions")

    assert UTC.search(await page.locator("main time").first.inner_text())

"""A program without a browser is let in on the device page (RFC 8628)."""

import pytest

from tests.browser.app import App
from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
from tests.browser.pages import Account, path, press, sign_in

pytestmark = pytest.mark.anyio


async def test_a_code_that_is_typed_lets_the_program_in(
    open_page: OpenPage, app: App, account: Account, looks: Looks
) -> None:
    started, page = await app.start_device(), await open_page()

    await page.goto("/oauth/device")
    await sign_in(page, account)
    await looks.check(page, "device-code")
    await page.get_by_label("Code").fill(started["user_code"].lower().replace("-", " "))
    await press(page, "Continue")
    assert await page.get_by_text(started["user_code"], exact=True).count() == 1
    await looks.check(page, "device-question")
    for box in await page.get_by_role("checkbox").all():
        await box.uncheck()
    await press(page, "Allow")
    await looks.check(page, "device-nothing-left")
    await page.get_by_role("checkbox").first.check()
    await press(page, "Allow")

    assert await page.get_by_role("heading").inner_text() == "Done"
    await looks.check(page, "device-done")
    tokens = (await app.poll_device(started["device_code"])).json()
    assert tokens["scope"] == "sparks:read"
    called = await app.call(tokens["access_token"], "list_my_ai_personas")
    assert called.json()["result"]["structuredContent"]["total"] == 0


async def test_the_whole_link_survives_the_sign_in_and_still_asks(
    open_page: OpenPage, app: App, account: Account
) -> None:
    started, page = await app.start_device(), await open_page()

    await page.goto(started["verification_uri_complete"])
    await sign_in(page, account)
    assert path(page) == "/oauth/device"
    await press(page, "Refuse")

    assert await page.get_by_role("heading").inner_text() == "Refused"
    assert (await app.poll_device(started["device_code"])).json()["error"] == "access_denied"


async def test_a_wrong_code_is_told_beside_the_field(page_of: PageOf, site: Site, looks: Looks) -> None:
    page = await page_of(site.account("careless"))
    await page.goto("/oauth/device")

    await page.get_by_label("Code").fill("BCDF-GHJK")
    await press(page, "Continue")

    assert await page.get_by_role("alert").count() == 1
    await looks.check(page, "device-wrong-code")

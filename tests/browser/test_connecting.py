"""An app is connected by a person with a real browser, from the app's address to its first call."""

import pytest

from tests.browser.app import App
from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.pages import Account, choices, path, press, sign_in

SEE, MAKE = "See your AI personas and how their training goes", "Create, train, change and delete your AI personas"
MAKE_TOOL = "create_ai_persona_or_digital_twin"
pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without JavaScript"])
async def test_a_person_signs_in_takes_a_scope_away_and_the_app_calls(
    open_page: OpenPage, app: App, site: Site, javascript: bool
) -> None:
    page, question, account = await open_page(java_script_enabled=javascript), app.ask(), site.account("careless")

    await page.goto(question.address)
    await sign_in(page, account, "not the password")
    assert path(page) == "/oauth/login"
    assert await page.get_by_role("alert").count() == 1
    assert await page.get_by_label("E-mail address").input_value() == account.email
    assert await page.get_by_label("Password").input_value() == ""
    await sign_in(page, account)
    assert path(page) == "/oauth/consent"
    assert await choices(page) == {SEE: True, MAKE: True}
    await page.get_by_label(MAKE).uncheck()
    await press(page, "Allow")

    assert await page.get_by_role("heading").inner_text() == "Connected"
    tokens = await app.redeem(question)
    assert tokens["scope"] == "sparks:read"
    assert tokens["refresh_token"]
    allowed = await app.call(tokens["access_token"], "list_my_ai_personas")
    assert allowed.json()["result"]["structuredContent"]["total"] == 0
    refused = await app.call(tokens["access_token"], MAKE_TOOL, name="Nobody")
    assert refused.status_code == 403
    assert "sparks:write" in refused.headers["www-authenticate"]


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without JavaScript"])
async def test_enter_on_a_box_allows_nothing(page_of: PageOf, app: App, account: Account, javascript: bool) -> None:
    page, question = await page_of(account, java_script_enabled=javascript), app.ask()
    await page.goto(question.address)
    await page.get_by_label(MAKE).uncheck()

    async with page.expect_navigation():
        await page.get_by_label(SEE).press("Enter")

    assert path(page) == "/oauth/consent"
    assert "Nothing is allowed yet" in await page.get_by_role("alert").inner_text()
    assert await choices(page) == {SEE: True, MAKE: False}
    assert not question.told.done()
    await press(page, "Allow")
    assert (await app.redeem(question))["scope"] == "sparks:read"

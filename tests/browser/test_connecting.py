"""An app is connected by a person with a real browser, from the app's address to its first call."""

import pytest

from tests.browser.app import App
from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
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


async def test_two_tabs_each_get_their_own_answer(open_page: OpenPage, app: App, account: Account) -> None:
    first = await open_page()
    second = await first.context.new_page()
    one, other = app.ask("sparks:read"), app.ask("sparks:write")
    await first.goto(one.address)
    await second.goto(other.address)

    await sign_in(first, account)
    await sign_in(second, account)
    await press(second, "Allow")
    await press(first, "Allow")
    # The second tab signed in anew, which ended the session that the first tab's form was made in: asked once more.
    await press(first, "Allow")

    assert (await app.redeem(one))["scope"] == "sparks:read"
    assert (await app.redeem(other))["scope"] == "sparks:write"


async def test_whoever_leaves_the_question_is_signed_out_and_the_next_may_answer(
    page_of: PageOf, app: App, account: Account, site: Site
) -> None:
    page, question, other = await page_of(account), app.ask(), site.account("grace")
    await page.goto(question.address)
    assert await page.get_by_text(account.email).count() == 1

    await press(page, "Not you? Sign out")
    assert path(page) == "/oauth/login"
    assert [cookie for cookie in await page.context.cookies() if str(cookie.get("name")).endswith("session")] == []
    await sign_in(page, other)

    assert await page.get_by_text(other.email).count() == 1
    await press(page, "Allow")
    assert "access_token" in await app.redeem(question)


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


async def test_an_answered_question_is_not_asked_again(page_of: PageOf, app: App, account: Account) -> None:
    page, question = await page_of(account), app.ask()
    await page.goto(question.address)
    asked = page.url
    await press(page, "Allow")

    await page.goto(asked)

    assert await page.get_by_role("heading").inner_text() == "Answered already"
    assert await page.get_by_role("button").count() == 0


async def test_taking_everything_away_is_answered_with_the_question(
    page_of: PageOf, app: App, account: Account, looks: Looks
) -> None:
    page = await page_of(account)
    await page.goto(app.ask().address)
    for words in (SEE, MAKE):
        await page.get_by_label(words).uncheck()

    await press(page, "Allow")

    assert path(page) == "/oauth/consent"
    await looks.check(page, "consent-nothing-left")

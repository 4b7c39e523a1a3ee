"""The pages that strangers and their mistakes lead to, and whether everyone can use them."""

import pytest
from playwright.async_api import Page

from tests.browser.app import App
from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
from tests.browser.pages import Account, follow, press, sign_in

LONG = "Notebook " + "Donaudampfschifffahrtsgesellschaftskapitän" * 3
pytestmark = pytest.mark.anyio


@pytest.fixture
async def blank(open_page: OpenPage) -> Page:
    return await open_page()


async def test_the_sign_in_page(blank: Page, site: Site, looks: Looks) -> None:
    await blank.goto("/oauth/login")
    await blank.wait_for_function("document.activeElement.id === 'email'")
    await looks.check(blank, "login")

    await sign_in(blank, site.account("careless"), "not the password")
    await looks.check(blank, "login-refused")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("long", LONG), ("imitating", "Clаude"), ("backwards", "Claude \u202edetsurt\u202c")],  # noqa: RUF001 - a Cyrillic letter is what it is about
)
async def test_the_consent_page_with_a_strange_name(
    page_of: PageOf, app: App, account: Account, looks: Looks, kind: str, name: str
) -> None:
    await app.register(name)
    page = await page_of(account)

    await page.goto(app.ask("sparks:read sparks:write sparks:chat flows:read flows:write").address)

    await looks.check(page, f"consent-{kind}")


async def test_the_page_of_an_unknown_app(blank: Page, app: App, looks: Looks) -> None:
    app.client_id = "client_of_nobody"

    response = await blank.goto(app.ask().address)

    assert response is not None
    assert response.status == 400
    await looks.check(blank, "unknown-app")


async def test_the_page_of_an_unknown_address(blank: Page, looks: Looks) -> None:
    response = await blank.goto("/exports/of/nobody.csv")

    assert response is not None
    assert response.status == 404
    await looks.check(blank, "unknown-address")


async def test_pages_ask_nobody_else_for_anything(page_of: PageOf, app: App, account: Account) -> None:
    page = await page_of(account)
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))

    question = app.ask()
    await page.goto(question.address)

    own = question.address.partition("/oauth/")[0]
    assert [address for address in asked if not address.startswith(f"{own}/oauth/")] == []
    assert complaints == []


async def test_the_page_on_which_a_password_is_changed(page_of: PageOf, account: Account, looks: Looks) -> None:
    page = await page_of(account)
    await page.goto("/account")
    await follow(page, "Password")
    await looks.check(page, "password")

    await page.get_by_label("Present password").fill("not the password")
    await page.get_by_label("New password", exact=True).fill("another password")
    await page.get_by_label("The new password again").fill("another password")
    await press(page, "Set password")

    await looks.check(page, "password-refused")


async def test_without_a_host_name_there_are_no_passkeys_and_the_page_says_why(
    page_of: PageOf, account: Account, looks: Looks
) -> None:
    page = await page_of(account)
    await page.goto("/account/passkeys")

    assert await page.get_by_text("Passkeys need a host name").count() == 1
    assert await page.get_by_label("Name of the device").count() == 0
    await looks.check(page, "passkeys-without-host")
    await page.goto("/oauth/login")
    assert await page.locator("script, form[data-passkey]").count() == 0


async def test_a_fault_that_only_axe_knows_fails_the_page(open_page: OpenPage, looks: Looks) -> None:
    page = await open_page()
    await page.goto("/oauth/login")
    await page.evaluate("document.querySelector('h1').setAttribute('aria-levl', '1')")

    with pytest.raises(AssertionError, match="axe aria-valid-attr"):
        await looks.check(page, "faulty")

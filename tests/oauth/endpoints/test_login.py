"""The sign-in page: who may sign in here, with what, and from which page."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.endpoints.login import LOGOUT
from oauth.flows.accounts import create_user
from oauth.flows.consent import introduced
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.stores.accounts import AccountStore
from tests.html_pages import HtmlPage
from tests.oauth.browsing import client, words
from tests.oauth.endpoints.sign_in_gate import PATH, SITE, Browser, Gate
from tests.oauth.oidc_provider import Running

EMAIL, PASSWORD = "bob@example.com", "correct horse battery staple"


@pytest.fixture
async def robert(store: AccountStore) -> User:
    return await create_user(store, EMAIL, PASSWORD, utc_now())


@pytest.fixture
def embedded(engine: AsyncEngine, robert: User) -> Gate:
    return Gate(engine, None, embedded=True)


def session_of(browser: Browser) -> str | None:
    return browser.cookies.get("__Host-session")


async def test_a_person_signs_in_and_goes_on(embedded: Gate) -> None:
    browser = embedded.browser()

    answer = await browser.submit(await browser.open_login(), EMAIL, PASSWORD)

    assert (answer.status_code, answer.headers["location"]) == (303, PATH)
    assert answer.headers["cache-control"] == "no-store"
    assert await browser.who() == EMAIL


async def test_the_page_can_be_used_without_seeing_it(embedded: Gate) -> None:
    browser = embedded.browser()
    page = await browser.open_login()

    fresh, failed = HtmlPage(page.text), HtmlPage((await browser.submit(page, EMAIL, "wrong password")).text)

    assert fresh.labels == {"email", "password"}
    assert fresh.inputs["email"]["autocomplete"] == "username"
    assert fresh.inputs["password"]["autocomplete"] == "current-password"
    assert "alert" not in fresh.roles
    assert "alert" in failed.roles
    assert failed.inputs["password"]["aria-describedby"] == "problem"
    assert (failed.inputs["email"]["value"], failed.inputs["password"].get("value")) == (EMAIL, None)


@pytest.mark.security("CO-10", "CO-08")
async def test_the_page_is_not_kept_not_framed_and_its_cookie_is_bound_to_this_host(embedded: Gate) -> None:
    page = await embedded.browser().open_login()

    assert page.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    cookie = page.headers["set-cookie"].lower()
    assert cookie.startswith("__host-login=")
    assert all(flag in cookie for flag in ("httponly", "secure", "samesite=lax", "path=/"))


@pytest.mark.security("CO-04")
@pytest.mark.parametrize(
    ("origin", "token"), [("https://evil.example", None), ("null", None), (None, None), (SITE, ""), (SITE, "guess")]
)
async def test_another_site_cannot_sign_a_visitor_in(embedded: Gate, origin: str | None, token: str | None) -> None:
    browser = embedded.browser()
    own = HtmlPage((await browser.open_login()).text).inputs["csrf"]["value"]
    data = {"email": EMAIL, "password": PASSWORD, "csrf": own if token is None else token}

    answer = await browser.post("/oauth/login", data=data, headers={} if origin is None else {"origin": origin})

    assert answer.status_code == 403
    assert session_of(browser) is None
    assert HtmlPage(answer.text).inputs["csrf"]["value"], "the page is shown again, so that a person can go on"


async def test_a_sign_in_begins_a_session_that_nobody_could_plant(embedded: Gate) -> None:
    browser = embedded.browser()
    page = await browser.open_login()
    browser.cookies.set("__Host-session", "planted", domain="gw.example.com", path="/")
    await browser.submit(page, EMAIL, PASSWORD)
    first = session_of(browser)
    await browser.submit(page, EMAIL, PASSWORD)

    stale = embedded.browser()
    stale.cookies.set("__Host-session", str(first), domain="gw.example.com", path="/")

    assert first not in {None, "planted"}
    assert session_of(browser) != first
    assert await stale.who() == "nobody"


@pytest.mark.parametrize("going_on", ["https://evil.example/", "//evil.example", "/account", "x" * 100])
async def test_a_way_on_that_we_did_not_seal_leads_home(embedded: Gate, going_on: str) -> None:
    browser = embedded.browser()
    page = await browser.get("/oauth/login", params={"continue": going_on})

    answer = await browser.submit(page, EMAIL, PASSWORD)

    assert answer.headers["location"] == "/account"


async def test_the_page_says_which_app_asks_and_where_it_leads(embedded: Gate) -> None:
    registered = client(name="Notes <b>of</b> Eve")
    embedded.app_behind = {**introduced(registered, "https://app.example/cb"), "logo": None}

    stranger = words(await embedded.browser().open_login())
    embedded.app_behind = {**introduced(replace(registered, kind="configured"), "http://localhost:1/cb"), "logo": None}
    configured = words(await embedded.browser().open_login())

    assert "An app that calls itself “ Notes <b>of</b> Eve ” asks" in stranger
    assert "Not verified" in stranger
    assert "Access goes to app.example ." in stranger
    assert "calls itself" not in configured
    assert "Set up by the operator" in configured
    assert "localhost (this device)" in configured


async def test_the_page_tells_of_no_app_where_none_waits(embedded: Gate) -> None:
    assert "asks" not in words(await embedded.browser().open_login())


async def test_a_person_signs_out(embedded: Gate) -> None:
    browser = embedded.browser()
    await browser.submit(await browser.open_login(), EMAIL, PASSWORD)
    form = {"csrf": csrf.token(str(session_of(browser)), LOGOUT)}

    foreign = await browser.post("/oauth/logout", data=form, headers={"origin": "https://evil.example"})
    still = await browser.who()
    own = await browser.post("/oauth/logout", data=form, headers={"origin": SITE})

    assert (foreign.status_code, still) == (403, EMAIL)
    assert own.status_code == 200
    assert await browser.who() == "nobody"
    assert session_of(browser) is None
    assert (await browser.get("/oauth/logout")).status_code == 405


async def test_a_database_that_does_not_answer_is_no_wrong_password(embedded: Gate, engine: AsyncEngine) -> None:
    browser = embedded.browser()
    page = await browser.open_login()
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE oauth_failures RENAME TO gone"))

    assert (await browser.submit(page, EMAIL, PASSWORD)).status_code == 503


async def test_without_embedded_accounts_there_is_no_form_and_no_password_is_taken(
    engine: AsyncEngine, robert: User, idp: Running
) -> None:
    browser = Gate(engine, idp, embedded=False, supabase=True).browser()
    page = await browser.open_login()

    data = {"email": EMAIL, "password": PASSWORD, "csrf": csrf.token(str(browser.cookies["__Host-login"]), "login")}
    answer = await browser.post("/oauth/login", data=data, headers={"origin": SITE})

    assert "password" not in HtmlPage(page.text).inputs
    assert len(HtmlPage(page.text).links) == 2
    assert answer.status_code == 403
    assert session_of(browser) is None

"""The pages on which a password is set, in a browser."""

from dataclasses import dataclass, field

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.endpoints.passwords import ASK_PATH, CHANGE_PATH
from oauth.flows.accounts import FAILURES_OF_ACCOUNT, create_user
from oauth.models import User
from oauth.primitives.clock import utc_now
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import SessionStore
from tests.html_pages import HtmlPage
from tests.oauth.delegations import session_of
from tests.oauth.endpoints.sign_in_gate import SITE, Browser, Gate

EMAIL, OLD, NEW = "bob@example.com", "correct horse battery staple", "another password"


@dataclass
class Site:
    gate: Gate
    mails: list[tuple[str, ...]] = field(default_factory=list)

    async def signed_in(self, password: str = OLD) -> Browser:
        browser = self.gate.browser()
        await browser.submit(await browser.open_login(), EMAIL, password)
        return browser

    def link(self) -> str:
        (link,) = [line for line in self.mails[-1][2].splitlines() if line.startswith(SITE)]
        return link


@pytest.fixture
async def site(engine: AsyncEngine, store: AccountStore) -> Site:
    await create_user(store, EMAIL, OLD, utc_now())
    mails: list[tuple[str, ...]] = []
    return Site(Gate(engine, None, embedded=True, mail=lambda *mail: mails.append(mail)), mails)


async def fill(browser: Browser, page: httpx2.Response, origin: str = SITE, **fields: str) -> httpx2.Response:
    form = HtmlPage(page.text).form
    return await browser.post(form.action, data=form.fields | fields, headers={"origin": origin})


async def works(site: Site, password: str) -> bool:
    return await (await site.signed_in(password)).who() == EMAIL


async def test_a_person_changes_the_password_and_other_browsers_are_signed_out(site: Site) -> None:
    here, there = await site.signed_in(), await site.signed_in()
    page = await here.get(CHANGE_PATH)

    done = await fill(here, page, present=OLD, new=NEW, again=NEW)

    assert (done.status_code, HtmlPage(done.text).links[-1]) == (200, "/account")
    assert (await here.who(), await there.who()) == (EMAIL, "nobody")
    assert (await works(site, OLD), await works(site, NEW)) == (False, True)


async def test_who_signs_in_elsewhere_has_no_password_to_change(site: Site, engine: AsyncEngine) -> None:
    elsewhere = User("0", "0123@idp.example", utc_now())
    await AccountStore(engine).add_user(elsewhere)
    browser = site.gate.browser()
    secret = await session_of(SessionStore(engine), elsewhere, utc_now())
    browser.cookies.set("__Host-session", secret, domain="gw.example.com", path="/")

    answer = await browser.get(CHANGE_PATH)

    assert (answer.status_code, HtmlPage(answer.text).forms) == (400, [])


@pytest.mark.parametrize(
    "fields",
    [
        {"present": "wrong", "new": NEW, "again": NEW},
        {"present": OLD, "new": NEW, "again": "another"},
        {"present": OLD, "new": "short", "again": "short"},
        {"present": OLD, "new": "", "again": ""},
        {"new": NEW, "again": NEW},
    ],
)
async def test_what_is_wrong_is_said_on_the_form_and_nothing_changes(site: Site, fields: dict[str, str]) -> None:
    browser = await site.signed_in()

    refused = await fill(browser, await browser.get(CHANGE_PATH), **fields)

    page = HtmlPage(refused.text)
    assert (refused.status_code, "alert" in page.roles) == (400, True)
    assert page.labels == {"account", "present", "new", "again"}
    assert not [name for name in ("present", "new", "again") if page.inputs[name].get("value")]
    assert await works(site, OLD)


async def test_without_a_session_there_is_the_sign_in_and_from_another_site_nothing(site: Site) -> None:
    assert (await site.gate.browser().get(CHANGE_PATH)).status_code == 303
    browser = await site.signed_in()
    page = await browser.get(CHANGE_PATH)

    foreign = await fill(browser, page, "https://evil.example", present=OLD, new=NEW, again=NEW)
    forged = await fill(browser, page, csrf="x", present=OLD, new=NEW, again=NEW)

    assert (foreign.status_code, forged.status_code) == (403, 403)
    assert await works(site, OLD)


async def test_guesses_of_the_present_password_are_counted_with_the_sign_ins(site: Site) -> None:
    browser = await site.signed_in()
    page = await browser.get(CHANGE_PATH)
    for _ in range(FAILURES_OF_ACCOUNT):
        await fill(browser, page, present="wrong", new=NEW, again=NEW)

    paused = await fill(browser, page, present=OLD, new=NEW, again=NEW)

    assert paused.status_code == 429
    assert int(paused.headers["retry-after"]) > 0


async def test_who_forgot_the_password_sets_another_by_the_mailed_link(site: Site) -> None:
    there, browser = await site.signed_in(), site.gate.browser()
    assert ASK_PATH in HtmlPage((await browser.open_login()).text).links

    asked = await fill(browser, await browser.get(ASK_PATH), email=EMAIL)
    unknown = await fill(browser, await browser.get(ASK_PATH), email="nobody@example.com")
    assert (asked.status_code, asked.text) == (200, unknown.text)
    assert [to for to, *_ in site.mails] == [EMAIL]
    page = await browser.get(site.link())
    differing = await fill(browser, page, new=NEW, again="another")
    done = await fill(browser, page, new=NEW, again=NEW)
    again = await fill(browser, page, new="a third password", again="a third password")

    assert [answer.status_code for answer in (page, differing, done, again)] == [200, 400, 200, 400]
    assert (await browser.get(site.link())).status_code == 400
    assert await there.who() == "nobody"
    assert await works(site, NEW)


async def test_a_link_is_used_from_our_own_page_only(site: Site, store: AccountStore) -> None:
    browser = site.gate.browser()
    await fill(browser, await browser.get(ASK_PATH), email=EMAIL)
    page = await browser.get(site.link())

    assert (await fill(browser, page, "https://evil.example", new=NEW, again=NEW)).status_code == 403
    assert (await fill(browser, page, csrf="", new=NEW, again=NEW)).status_code == 403
    assert await works(site, OLD)
    assert "no-store" in page.headers["cache-control"]
    assert "same-origin" in page.headers["referrer-policy"]


async def test_without_a_mail_server_no_page_offers_a_mail(engine: AsyncEngine, ada: User) -> None:
    browser = Gate(engine, None, embedded=True).browser()

    assert (await browser.get(ASK_PATH)).status_code == 404
    assert ASK_PATH not in HtmlPage((await browser.open_login()).text).links

"""The page of passkeys and the sign-in with one, in a browser with a software authenticator."""

from dataclasses import dataclass, field
from datetime import timedelta

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.account.sign_ins import RECENT, PasskeysTab
from oauth.flows.accounts import create_user
from oauth.models import User
from oauth.primitives.clock import utc_now
from oauth.stores.accounts import AccountStore
from oauth.stores.sessions import SessionStore
from tests.html_pages import Form, HtmlPage
from tests.oauth.authenticator import Authenticator
from tests.oauth.delegations import session_of
from tests.oauth.endpoints.sign_in_gate import PATH as GOING_ON
from tests.oauth.endpoints.sign_in_gate import SITE, Browser, Gate
from tests.oauth.oidc_provider import Running

PATH = PasskeysTab.path
EMAIL, PASSWORD = "bob@example.com", "correct horse battery staple"


@dataclass
class Person:
    """A browser and an authenticator, and what a person does with them."""

    browser: Browser
    device: Authenticator = field(default_factory=lambda: Authenticator(SITE, "gw.example.com"))

    async def sign_in(self) -> "Person":
        await self.browser.submit(await self.browser.open_login(), EMAIL, PASSWORD)
        return self

    async def add(self, name: str = "Phone", origin: str = SITE, **changes: str) -> httpx2.Response:
        page = HtmlPage((await self.browser.get(PATH)).text)
        (form,) = [each for each in page.forms if "ticket" in each.fields]
        answer = self.device.create(form.options)
        return await self._post(form, origin, {"name": name, "answer": answer, **changes})

    async def enter(self, page: httpx2.Response, origin: str = SITE, **changes: str) -> httpx2.Response:
        (form,) = [each for each in HtmlPage(page.text).forms if "ticket" in each.fields]
        self.device.count += 1
        return await self._post(form, origin, {"answer": self.device.get(form.options), **changes})

    async def remove(self, origin: str = SITE, **changes: str) -> httpx2.Response:
        forms = HtmlPage((await self.browser.get(PATH)).text).forms
        (form, *_) = [each for each in forms if each.action == f"{PATH}/remove"]
        return await self._post(form, origin, changes)

    async def _post(self, form: Form, origin: str, fields: dict[str, str]) -> httpx2.Response:
        return await self.browser.post(form.action, data=form.fields | fields, headers={"origin": origin})


@pytest.fixture
async def gate(engine: AsyncEngine, store: AccountStore) -> Gate:
    await create_user(store, EMAIL, PASSWORD, utc_now())
    return Gate(engine, None, embedded=True)


@pytest.fixture
async def bob(gate: Gate) -> Person:
    """Somebody who has just signed in."""
    return await Person(gate.browser()).sign_in()


async def test_a_passkey_is_added_signs_in_and_is_removed(gate: Gate, bob: Person) -> None:
    added = await bob.add()
    there = Person(gate.browser(), bob.device)
    entered = await there.enter(await there.browser.open_login())
    removed = await bob.remove()
    after = await bob.enter(await bob.browser.open_login())

    assert [each.status_code for each in (added, entered, removed, after)] == [303, 303, 303, 403]
    assert [each.headers["location"] for each in (added, entered, removed)] == [PATH, GOING_ON, PATH]
    assert await there.browser.who() == EMAIL
    assert gate.activity.events == [
        ("signed_in", None),
        ("passkey_added", "Phone"),
        ("signed_in_by_passkey", "Phone"),
        ("passkey_removed", "Phone"),
        ("sign_in_failed", None),
    ]


async def test_only_the_two_pages_of_passkeys_have_a_script(gate: Gate, bob: Person) -> None:
    pages = {path: await bob.browser.get(path) for path in ("/oauth/login", PATH, "/account/password", "/nowhere")}

    scripted = {
        path
        for path, page in pages.items()
        if "script-src" in page.headers.get("content-security-policy", "") or "<script" in page.text
    }
    assert scripted == {"/oauth/login", PATH}
    for path in scripted:
        assert "script-src 'self';" in pages[path].headers["content-security-policy"]
        assert "unsafe" not in pages[path].headers["content-security-policy"]
        assert "/oauth/passkey.js" in pages[path].text
    assert (await bob.browser.get("/oauth/passkey.js")).headers["content-type"].startswith("text/javascript")


async def test_a_browser_that_was_left_open_signs_in_again_before_it_adds_one(gate: Gate, bob: Person) -> None:
    begun = HtmlPage((await bob.browser.get(PATH)).text)
    gate.time = RECENT

    page = HtmlPage((await bob.browser.get(PATH)).text)
    (again,) = [link for link in page.links if link.startswith("/oauth/login")]
    entered = await bob.browser.submit(await bob.browser.get(again), EMAIL, PASSWORD)

    assert [form for form in begun.forms if "ticket" in form.fields]
    assert [form for form in page.forms if "ticket" in form.fields] == []
    assert entered.headers["location"] == PATH
    assert (await bob.add()).status_code == 303


@pytest.mark.parametrize("changes", [{"origin": "https://evil.example"}, {"csrf": "x"}, {"csrf": ""}])
async def test_no_other_site_adds_removes_or_signs_in(gate: Gate, bob: Person, changes: dict[str, str]) -> None:
    other = Person(bob.browser)
    added = await other.add(**changes)
    await bob.add()
    removed = await bob.remove(**changes)
    there = Person(gate.browser(), bob.device)
    entered = await there.enter(await there.browser.open_login(), **changes)

    assert [each.status_code for each in (added, removed, entered)] == [403, 403, 403]
    assert await there.browser.who() == "nobody"
    assert "Phone" in (await bob.browser.get(PATH)).text


async def test_the_answer_of_one_browser_is_worth_nothing_in_another(gate: Gate, bob: Person) -> None:
    await bob.add()
    here, there = Person(gate.browser(), bob.device), gate.browser()
    page = await here.browser.open_login()
    own = HtmlPage((await there.open_login()).text).forms[-1]
    (form,) = [each for each in HtmlPage(page.text).forms if "ticket" in each.fields]
    stolen = {"ticket": form.fields["ticket"], "answer": bob.device.get(form.options)}

    refused = await there.post(own.action, data=own.fields | stolen, headers={"origin": SITE})

    assert (refused.status_code, await there.who()) == (403, "nobody")


async def test_a_refusal_says_the_same_of_everybody_and_leaves_a_page_to_go_on_from(gate: Gate, bob: Person) -> None:
    await bob.add()
    stranger = Person(gate.browser())
    wrong = Person(gate.browser(), bob.device)
    wrong.device.origin = "https://evil.example"

    pages = [await each.enter(await each.browser.open_login()) for each in (stranger, wrong)]

    said = {page.text.partition('role="alert">')[2].partition("</div>")[0] for page in pages}
    assert len(said) == 1
    assert [page.status_code for page in pages] == [403, 403]
    wrong.device.origin = SITE
    assert (await wrong.enter(pages[1])).status_code == 303


async def test_what_is_wrong_with_a_new_one_is_said_on_the_page(bob: Person) -> None:
    await bob.add()

    twice = await bob.add("Phone again")

    assert twice.status_code == 400
    assert {"alert"} <= HtmlPage(twice.text).roles
    assert HtmlPage(twice.text).inputs["name"]["value"] == "Phone again"
    assert (await bob.remove(id="of somebody else")).status_code == 400


async def test_without_a_session_there_is_the_sign_in(gate: Gate) -> None:
    stranger = gate.browser()

    assert (await stranger.get(PATH)).headers["location"].startswith("/oauth/login?continue=")
    assert (await stranger.post(PATH, data={"name": "Phone"}, headers={"origin": SITE})).status_code == 403


async def test_who_signs_in_elsewhere_has_no_passkeys_here(gate: Gate, engine: AsyncEngine) -> None:
    elsewhere = User("0", "0123@idp.example", utc_now())
    await AccountStore(engine).add_user(elsewhere)
    browser = gate.browser()
    secret = await session_of(SessionStore(engine), elsewhere, utc_now())
    browser.cookies.set("__Host-session", secret, domain="gw.example.com", path="/")

    answer = await browser.get(PATH)

    assert (answer.status_code, HtmlPage(answer.text).forms) == (400, [])


async def test_without_accounts_of_this_server_no_passkey_is_taken(
    engine: AsyncEngine, gate: Gate, bob: Person, idp: Running
) -> None:
    await bob.add()
    page = await gate.browser().open_login()
    closed = Person(Gate(engine, idp, embedded=False, supabase=True).browser(), bob.device)
    shown = await closed.browser.open_login()

    refused = await closed.enter(page)

    assert "data-passkey" not in shown.text
    assert "script-src" not in shown.headers["content-security-policy"]
    assert (refused.status_code, await closed.browser.who()) == (403, "nobody")


async def test_a_challenge_that_waited_too_long_is_not_taken(gate: Gate, bob: Person) -> None:
    await bob.add()
    there = Person(gate.browser(), bob.device)
    page = await there.browser.open_login()
    gate.time = timedelta(minutes=6)

    late = await there.enter(page)

    assert (late.status_code, await there.browser.who()) == (403, "nobody")
    assert (await there.enter(late)).status_code == 303

"""The tab of browsers that are signed in: they are told apart, and signed out from here."""

import re
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.models import User
from tests.app.account.house import NOW, Browser, House, house

PATH = "/account/sessions"


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


def listed(page: str) -> list[str]:
    return re.findall(r'name="session" value="([^"]*)"', page)


async def is_in(browser: Browser) -> bool:
    return (await browser.get("/account")).status_code == 200


async def test_one_other_browser_is_signed_out_and_this_one_is_marked(home: House, ada: User, browser: Browser) -> None:
    others = [await home.browser(ada) for _ in range(2)]
    page = (await browser.get(PATH)).text
    own = (await others[0].get(PATH)).text
    (first,) = set(listed(page)) - set(listed(own))

    answer = await browser.post("/account/sessions/end", session=first)

    assert page.count("This browser") == 1
    assert len(listed(page)) == 2
    assert (answer.status_code, answer.headers["location"]) == (303, PATH)
    assert [await is_in(each) for each in (browser, *others)] == [True, False, True]
    assert "Signed another browser out" in (await browser.get("/account/activity")).text


async def test_all_others_are_signed_out_at_once(home: House, ada: User, browser: Browser) -> None:
    others = [await home.browser(ada) for _ in range(3)]

    await browser.post("/account/sessions/end-others")

    assert [await is_in(each) for each in (browser, *others)] == [True, False, False, False]
    assert "Sign out all other browsers" not in (await browser.get(PATH)).text


async def test_somebody_elses_session_is_not_shown_and_cannot_be_ended(home: House, browser: Browser) -> None:
    bob = await home.account("bob@example.com")
    bobs = [await home.browser(bob) for _ in range(2)]
    (named,) = listed((await bobs[0].get(PATH)).text)

    answer = await browser.post("/account/sessions/end", session=named)
    await browser.post("/account/sessions/end-others")

    assert answer.status_code == 400
    assert "signed out already" in answer.text
    assert [await is_in(each) for each in bobs] == [True, True]


async def test_what_the_page_names_a_session_by_opens_nothing(home: House, ada: User, browser: Browser) -> None:
    other = await home.browser(ada)
    secret = other.headers["cookie"].partition("=")[2]
    (named,) = listed((await browser.get(PATH)).text)

    for guess in (named, secret):
        answer = await home.http.get("/account", headers={"cookie": f"__Host-session={guess}"})
        assert (answer.status_code == 200) is (guess == secret)
    page = (await browser.get(PATH)).text
    sessions = await home.oauth.stores.sessions.list_sessions(ada.id, NOW)
    assert [each.digest for each in sessions if each.digest in page] == []

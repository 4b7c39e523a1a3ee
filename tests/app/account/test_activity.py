"""The tab of what happened: grouped, by kind and app, page by page."""

import re
from collections.abc import AsyncIterator
from html import unescape

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.account import activity as activity_tab
from mcp_server.audit.entries import Entry, Event
from oauth.models import User
from tests.app.account.house import Browser, House, house

PATH = "/account/activity"
TIMES = "\N{MULTIPLICATION SIGN}"
START = 1_800_000_000.0


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


def call(home: House, user: User, tool: str, client: str = "client_a", minute: int = 0, reason: str = "") -> None:
    event = Event.TOOL_FAILURE if reason else Event.TOOL_SUCCESS
    outcome = "failed" if reason else "ok"
    home.recorder.record(
        Entry(event, outcome, user.id, client, tool=tool, reason=reason or None, time=START + 60 * minute)
    )


def lines(page: str) -> list[str]:
    """What stands on each line, without markup."""
    rows = re.findall(r'<li class="row">(.*?)</li>', page, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", row)).split()) for row in rows]


def link(page: str, words: str) -> str:
    found = re.search(rf'<a class="button second" href="([^"]*)">{words}</a>', page)
    assert found is not None
    return unescape(found[1])


async def test_equal_calls_in_a_row_are_one_line_with_the_times_of_the_first_and_the_last(
    home: House, ada: User, browser: Browser
) -> None:
    call(home, ada, "list_panels")
    for minute in range(1, 15):
        call(home, ada, "talk_to_ai_persona", minute=minute)
    call(home, ada, "talk_to_ai_persona", "client_b", minute=15)
    call(home, ada, "talk_to_ai_persona", "client_b", minute=16, reason="not_found")

    assert lines((await browser.get(PATH)).text) == [
        "Used talk_to_ai_persona · client_b · not done (not found) 15 January 2027, 08:16 UTC",
        "Used talk_to_ai_persona · client_b 15 January 2027, 08:15 UTC",
        f"Used talk_to_ai_persona {TIMES}14 times · client_a 15 January 2027, 08:01 to 08:14 UTC",
        "Used list_panels · client_a 15 January 2027, 08:00 UTC",
    ]


async def test_what_changes_who_may_do_what_has_a_line_of_its_own(home: House, ada: User, browser: Browser) -> None:
    for _ in range(3):
        home.oauth.signed_in.note(ada, "signed_in")
        home.oauth.signed_in.note(ada, "key_revoked", "key_a", "laptop")
    for _ in range(2):
        home.oauth.signed_in.note(ada, "password_changed")

    told = lines((await browser.get(PATH)).text)

    assert [sum(what in line for line in told) for what in ("Signed in", "Revoked a key", "Set a new password")] == [
        3,
        3,
        2,
    ]
    assert not any(TIMES in line for line in told)


async def test_it_is_shown_by_kind_and_by_app_under_the_names_that_they_had(
    home: House, ada: User, browser: Browser
) -> None:
    home.oauth.signed_in.note(ada, "app_disconnected", "client_b", "Claude")
    await home.connected(ada)
    home.recorder.record(Entry(Event.API_CHANGE, "ok", ada.id, "client_b", tool="deleteMind", time=START))
    call(home, ada, "list_panels", "client_a")
    call(home, ada, "list_panels", "client_b")

    kinds = [lines((await browser.get(f"{PATH}?kind={kind}")).text) for kind in ("tools", "changes", "account")]
    claude = (await browser.get(f"{PATH}?app=client_b&kind=tools")).text

    assert [[line.split(" · ")[0] for line in kind] for kind in kinds] == [
        ["Used list_panels", "Used list_panels"],
        ["Deleted a persona"],
        ["Disconnected an app"],
    ]
    assert [line.split(" 15 ")[0] for line in lines(claude)] == ["Used list_panels · Claude"]
    assert re.findall(r'<option value="([^"]*)" selected>(.*?)<', claude) == [
        ("tools", "Tools"),
        ("client_b", "Claude"),
    ]
    assert ">Cursor</option>" in claude


async def test_what_is_older_is_on_the_next_page_and_nothing_twice(home: House, ada: User, browser: Browser) -> None:
    for minute in range(120):
        call(home, ada, f"tool_{minute % 2}", minute=minute)
        call(home, ada, "other", "client_b", minute=minute)

    first = (await browser.get(f"{PATH}?kind=tools")).text
    second = (await browser.get(link(first, "Older"))).text

    assert [len(lines(page)) for page in (first, second)] == [50, 50]
    assert set(lines(first)).isdisjoint(lines(second))
    assert ">Newest</a>" not in first
    newest = (await browser.get(link(second, "Newest"))).text
    assert lines(newest) == lines(first)


async def test_a_group_is_not_broken_by_how_much_is_read_at_once(
    home: House, ada: User, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity_tab, "AT_ONCE", 7)
    call(home, ada, "first")
    for minute in range(40):
        call(home, ada, "talk_to_ai_persona", minute=minute)

    assert [line.split(" · ")[0] for line in lines((await browser.get(PATH)).text)] == [
        f"Used talk_to_ai_persona {TIMES}40 times",
        "Used first",
    ]


async def test_a_filter_that_fits_little_reads_so_much_and_goes_on_when_it_is_asked(
    home: House, ada: User, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity_tab, "AT_ONCE", 5)
    await home.connected(ada, "client_b", "Claude")
    call(home, ada, "rare", "client_b")
    for minute in range(42):
        call(home, ada, "often", minute=minute)

    first = (await browser.get(f"{PATH}?app=client_b")).text
    second = (await browser.get(link(first, "Older"))).text

    assert "among what happened lately" in first
    assert [line.split(" · ")[0] for line in lines(second)] == ["Used rare"]


async def test_an_address_that_is_no_place_in_it_is_refused_on_the_page(
    home: House, ada: User, browser: Browser
) -> None:
    call(home, ada, "list_panels")
    refused = await browser.get(f"{PATH}?before=nonsense")

    assert refused.status_code == 400
    assert re.search(r'role="alert">[^<]*Begin with the newest', refused.text)
    assert len(lines(refused.text)) == 1


async def test_what_was_refused_is_not_said_to_have_been_done(home: House, ada: User, browser: Browser) -> None:
    home.recorder.record(Entry(Event.API_CHANGE, "failed", ada.id, "key_a", tool="createMind", reason="400"))

    (line,) = lines((await browser.get(PATH)).text)

    assert line.startswith("Created a persona · key_a · not done (400)")


async def test_somebody_elses_is_not_shown(home: House, ada: User, browser: Browser) -> None:
    call(home, await home.account("bob@example.com"), "list_panels")

    assert "Nothing has happened yet." in (await browser.get(PATH)).text


async def test_where_activity_is_not_kept_the_page_does_not_say_that_nothing_happened(engine: AsyncEngine) -> None:
    async with house(engine, is_kept=False) as home:
        page = await (await home.browser(await home.account("ada@example.com"))).get(PATH)

    assert "Activity is not kept here." in page.text
    assert "Nothing has happened" not in page.text

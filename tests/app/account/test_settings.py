"""The account gets another address, or is deleted with all that it has here, by who proves that it is theirs."""

from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import unquote

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import audit_rows
from oauth.errors import StoreUnavailable
from oauth.flows.api_keys import create_key
from oauth.models import User
from oauth.primitives.scopes import ALL
from oauth.stores.tables import metadata, users
from tests.app.account.house import NOW, SITE, Browser, House, hidden_value, house

PATH = "/account/settings"
ADA, NEW, PASSWORD = "ada@example.com", "new@example.com", "correct horse battery staple"


@pytest.fixture
async def home(engine: AsyncEngine) -> AsyncIterator[House]:
    async with house(engine) as opened:
        yield opened


@pytest.fixture
async def ada(home: House) -> User:
    return await home.account(ADA, PASSWORD)


@pytest.fixture
async def browser(home: House, ada: User) -> Browser:
    return await home.browser(ada)


async def kept_of(engine: AsyncEngine, user: User) -> list[str]:
    """The tables that still have a row of the account."""
    tables = [table for table in metadata.sorted_tables if "user_id" in table.c]
    async with engine.connect() as connection:
        wanted = {table.name: select(table).where(table.c.user_id == user.id) for table in tables}
        wanted["users"] = select(users).where(users.c.id == user.id)
        return [name for name, query in wanted.items() if (await connection.execute(query)).first()]


async def test_an_account_is_deleted_with_all_that_it_has_here_and_the_audit_log_stays(
    home: House, ada: User, browser: Browser, engine: AsyncEngine
) -> None:
    bob = await home.account("bob@example.com", PASSWORD)
    key = (await create_key(home.oauth.stores.accounts, ada, name="laptop", scopes=ALL, lifetime=None, now=NOW)).secret
    await home.oauth.stores.linked_keys.link_key(ada.id, "sealed", "beef", NOW)
    for user in (ada, bob):
        await home.connected(user)
    other = await home.browser(ada)
    assert await home.oauth.verifier.verify(key) is not None

    done = await browser.post("/account/settings/delete", email=" ADA@example.com ", password=PASSWORD)

    assert (done.status_code, "Your account is deleted" in done.text) == (200, True)
    assert "personas, groups and panels" in done.text
    assert "The audit log keeps its rows" in done.text
    assert "Max-Age=0" in done.headers["set-cookie"]
    assert home.deleted == [ada.id]
    assert await kept_of(engine, ada) == []
    assert "oauth_grants" in await kept_of(engine, bob)
    assert [(await each.get("/account")).status_code for each in (browser, other)] == [303, 303]
    assert await home.oauth.verifier.verify(key) is None
    await home.recorder.settle()
    async with engine.connect() as connection:
        events = select(audit_rows.c.event).where(audit_rows.c.subject == ada.id)
        assert "userDeleted" in (await connection.scalars(events)).all()


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"email": ADA, "password": "a wrong password"}, "The present password is wrong."),
        ({"email": ADA, "password": None}, "The present password is wrong."),
        ({"email": "bob@example.com", "password": PASSWORD}, f"Type {ADA}"),
        ({"email": None, "password": PASSWORD}, f"Type {ADA}"),
    ],
)
async def test_without_the_password_and_the_typed_address_nothing_is_deleted(
    home: House, browser: Browser, sent: dict[str, str | None], words: str
) -> None:
    refused = await browser.post("/account/settings/delete", **sent)

    assert refused.status_code == 400
    assert words in refused.text
    assert '<details class="narrow" open>' in refused.text
    assert home.deleted == []
    assert (await browser.get(PATH)).status_code == 200


async def test_who_signs_in_elsewhere_must_have_done_so_lately(home: House) -> None:
    ada = await home.account("made-up@idp.example")
    before, lately = [await home.browser(ada, timedelta(minutes=minutes)) for minutes in (11, 9)]
    typed = "your account at idp.example"

    refused = await before.post("/account/settings/delete", email=typed)
    done = await lately.post("/account/settings/delete", email=typed)

    assert [refused.status_code, done.status_code] == [400, 200]
    assert "sign in again" in refused.text
    assert home.deleted == [ada.id]


async def test_in_front_of_a_real_api_the_page_says_what_stays_there(engine: AsyncEngine) -> None:
    async with house(engine, real_api=SITE) as home:
        browser = await home.browser(await home.account(ADA, PASSWORD))
        page = (await browser.get(PATH)).text
        done = await browser.post("/account/settings/delete", email=ADA, password=PASSWORD)

    assert f"{SITE} stays there" in " ".join(page.split())
    assert f"What you have at the Minds API at {SITE} stays there" in done.text
    assert "personas" not in done.text.partition("<main")[2]


async def test_an_account_whose_data_cannot_be_deleted_now_is_closed_all_the_same(
    home: House, ada: User, browser: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(_user_id: str) -> None:
        raise StoreUnavailable("down")

    monkeypatch.setattr(home.oauth.stores.accounts, "delete_user", fails)

    done = await browser.post("/account/settings/delete", email=ADA, password=PASSWORD)

    assert "is not deleted yet" in done.text
    assert (await browser.get(PATH)).status_code == 303
    (user,) = await home.oauth.stores.accounts.list_users()
    assert user.disabled_at == NOW
    assert ada.id in caplog.text


async def test_the_address_is_changed_at_once_where_no_mail_is_sent(home: House, ada: User, browser: Browser) -> None:
    wrong = await browser.post("/account/settings/email", email=NEW, password="a wrong password")
    done = await browser.post("/account/settings/email", email=NEW, password=PASSWORD)

    assert [wrong.status_code, done.status_code] == [400, 303]
    assert "The present password is wrong." in wrong.text
    changed = await home.oauth.stores.accounts.find_user(NEW)
    assert changed is not None
    assert changed.id == ada.id
    assert f"<bdi>{NEW}</bdi>" in (await browser.get(PATH)).text
    assert "Changed the e-mail address" in (await browser.get("/account/activity")).text


async def test_the_address_is_changed_by_a_link_to_the_new_one_where_mail_is_sent(engine: AsyncEngine) -> None:
    mails: list[tuple[str, ...]] = []
    async with house(engine, mail=lambda *mail: mails.append(mail)) as home:
        ada = await home.account(ADA, PASSWORD)
        browser, other = await home.browser(ada), await home.browser(await home.account("bob@example.com", PASSWORD))
        asked = await browser.post("/account/settings/email", email=NEW, password=PASSWORD)
        (link,) = [line.removeprefix(SITE) for line in mails[0][2].splitlines() if line.startswith(SITE)]
        signed_out, strange, page = await home.http.get(link), await other.get(link), await browser.get(link)
        before = await home.oauth.stores.accounts.find_user(NEW)
        token = hidden_value(page.text, "token")
        done = await browser.post("/account/settings/email/confirm", token=token)
        again = await browser.post("/account/settings/email/confirm", token=token)
        changed = await home.oauth.stores.accounts.find_user(NEW)
        happened = (await browser.get("/account/activity")).text

    assert "a link is on its way" in asked.text
    sealed = unquote(signed_out.headers["location"].partition("continue=")[2])
    assert home.oauth.signed_in.returning.open(sealed, NOW).path == link
    assert (strange.status_code, page.status_code) == (400, 200)
    assert "This link does not work." in strange.text
    assert "Confirm this address" not in strange.text
    assert before is None
    assert [done.status_code, again.status_code] == [303, 400]
    assert changed is not None
    assert changed.id == ada.id
    assert [mail[0] for mail in mails] == [NEW, ADA]
    assert [happened.count(what) for what in ("Changed the e-mail address", "Got a link to confirm")] == [1, 1]


async def test_who_signs_in_elsewhere_has_the_address_of_there(home: House) -> None:
    browser = await home.browser(await home.account("made-up@idp.example"))

    page = await browser.get(PATH)
    refused = await browser.post("/account/settings/email", email=NEW, password=PASSWORD)

    assert "settings/email" not in page.text
    assert refused.status_code == 400

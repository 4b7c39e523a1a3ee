"""The account page: one's own keys and apps, nobody else's, and no secret twice."""

import html
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.account import keys as keys_tab
from app.account.keys import Linked, linked_key
from oauth.flows.api_keys import Links, create_key
from oauth.models import User
from oauth.primitives import secrets
from oauth.primitives.scopes import ALL, SCOPES
from oauth.primitives.sealing import Sealer
from oauth.stores.accounts import LinkedKeyStore
from tests.app.account.house import NOW, TABS, Browser, House, RealKeys, house, once
from tests.html_pages import HtmlPage

ADA, BOB = "ada@example.com", "bob@example.com"
KEY = "minds_" + "0" * 44 + "beef"
LONG = '"><b>' + "x" * 100


@pytest.fixture
async def home(engine: AsyncEngine) -> AsyncIterator[House]:
    async with house(engine) as opened:
        yield opened


@pytest.fixture
async def ada(home: House) -> User:
    return await home.account(ADA)


@pytest.fixture
def keys() -> RealKeys:
    return RealKeys()


@pytest.fixture
async def real(engine: AsyncEngine, keys: RealKeys) -> AsyncIterator[House]:
    """In front of a real internal API, which decides about keys."""
    async with house(engine, real_api="https://minds.example", keys=keys) as opened:
        yield opened


@pytest.fixture
async def browser(home: House, ada: User) -> Browser:
    return await home.browser(ada)


def key_in(page: str) -> str:
    found = re.search(r"minds_[0-9a-f]{48}", page)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("path", TABS)
async def test_who_is_not_signed_in_is_led_to_the_sign_in_and_back(home: House, path: str) -> None:
    answer = await home.http.get(path)

    assert answer.status_code == 303
    login, _, sealed = answer.headers["location"].partition("?continue=")
    assert (login, home.oauth.signed_in.returning.open(unquote(sealed), NOW).path) == ("/oauth/login", path)


@pytest.mark.parametrize("path", TABS)
async def test_each_tab_is_a_page_and_marks_itself(browser: Browser, path: str) -> None:
    page = (await browser.get(path)).text

    assert re.findall(r'<a href="(/account[^"]*)" aria-current="page">', page.partition("<main")[2]) == [path]
    assert set(TABS) <= set(HtmlPage(page).links)


@pytest.mark.security("AK-03")
@pytest.mark.parametrize(
    "path", ["/account/keys", "/account/keys/c1/rotate", "/account/keys/c1/revoke", "/account/apps/disconnect"]
)
async def test_without_a_session_nothing_is_done_whatever_the_form_says(home: House, ada: User, path: str) -> None:
    data = {"user_id": ada.id, "permissions": "all", "name": "mine", "scope sparks:read": "on", "once": "x"}

    answer = await home.http.post(path, data=data)

    assert answer.status_code == 403
    assert await home.oauth.stores.accounts.list_keys() == []


@pytest.mark.parametrize("changes", [{"csrf": None}, {"csrf": "0" * 64}, {}])
async def test_a_form_that_is_not_our_own_or_from_another_site_does_nothing(
    home: House, browser: Browser, changes: dict[str, str | None]
) -> None:
    browser.headers["origin"] = browser.headers["origin"] if changes else "https://evil.example"

    answer = await browser.post("/account/keys", name="laptop", **{"scope sparks:read": "on"}, **changes)

    assert answer.status_code == 403
    assert await home.oauth.stores.accounts.list_keys() == []


@pytest.mark.security("AK-07")
async def test_a_new_key_is_shown_once_works_and_is_listed_without_its_secret(
    home: House, ada: User, browser: Browser
) -> None:
    made = await browser.post("/account/keys", name="laptop", lifetime="90 days", **{"scope sparks:read": "on"})
    key = key_in(made.text)

    verified = await home.oauth.verifier.verify(key)
    page = await browser.account()
    assert verified is not None
    assert (verified.subject, verified.scopes) == (ada.id, frozenset({"sparks:read"}))
    assert made.headers["cache-control"] == "no-store"
    hidden = key[secrets.PREFIX_LENGTH : -secrets.SUFFIX_LENGTH]
    assert not any(hidden[start : start + 6] in page for start in range(len(hidden) - 5))
    assert key[: secrets.PREFIX_LENGTH] in page
    assert key[-secrets.SUFFIX_LENGTH :] in page
    assert "laptop" in page
    assert "18 February 2027" in page
    assert "Created a key" in page


async def test_a_form_that_is_sent_again_makes_no_second_key(home: House, browser: Browser) -> None:
    token = once((await browser.get("/account/keys")).text)
    for _ in range(2):
        answer = await browser.post("/account/keys", name="laptop", once=token, **{"scope sparks:read": "on"})

    assert answer.status_code == 400
    assert "sent already" in answer.text
    assert len(await home.oauth.stores.accounts.list_keys()) == 1


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scope sparks:read": None}, "Choose at least one thing"),
        ({"name": ""}, ""),
        ({"name": "x" * 101}, ""),
        *(
            ({"lifetime": each}, "Choose after how long the key expires")
            for each in (None, "", "0", "NEVER", "5 years")
        ),
    ],
)
async def test_a_key_that_cannot_be_made_is_explained_on_the_page(
    home: House, browser: Browser, changed: dict[str, str | None], words: str
) -> None:
    answer = await browser.post("/account/keys", **{"name": "laptop", "scope sparks:read": "on"} | changed)

    assert answer.status_code == 400
    assert re.search(rf'role="alert">[^<]*{words}', answer.text)
    assert await home.oauth.stores.accounts.list_keys() == []

    await browser.post("/account/keys", name="laptop", lifetime="never", **{"scope sparks:read": "on"})
    assert [each.key.expires_at for each in await home.oauth.stores.accounts.list_keys()] == [None]


@pytest.mark.security("RS-12")
@pytest.mark.parametrize("deed", ["rotate", "revoke"])
async def test_somebody_elses_key_is_as_unknown_as_none(home: House, browser: Browser, deed: str) -> None:
    bob = await home.browser(await home.account(BOB))
    await bob.post("/account/keys", name="bobs", **{"scope sparks:read": "on"})
    key = (await home.oauth.stores.accounts.list_keys())[0].key

    for name in (key.id, "nothing"):
        answer = await browser.post(f"/account/keys/{name}/{deed}")
        assert answer.status_code == 400
        assert "That key is none of yours, or it is gone." in answer.text
        assert "keys list" not in answer.text
    assert (await home.oauth.stores.accounts.list_keys())[0].state(NOW) == "active"


async def test_what_cannot_be_undone_is_asked_once_before_it_is_done(home: House, ada: User, browser: Browser) -> None:
    await home.connected(ada)
    await browser.post("/account/keys", name="laptop", **{"scope sparks:read": "on"})

    page = "".join([(await browser.get(path)).text for path in ("/account", "/account/keys")])

    asked = re.findall(
        r"<details>\s*<summary[^>]*>(\w+).*?<button type=\"submit\"[^>]*>(.*?) <.*?</details>", page, re.DOTALL
    )
    assert asked == [("Disconnect", "Yes, disconnect"), ("Revoke", "Yes, revoke")]
    unasked = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    buttons = re.findall(r'<button type="submit"[^>]*>(.*?)(?: <|<)', unasked)
    assert [button for button in buttons if button != "Sign out"] == ["Rotate", "Create key"]


@pytest.mark.security("CO-17")
async def test_a_disconnected_app_loses_all_its_grants_and_is_asked_about_again(
    home: House, ada: User, browser: Browser
) -> None:
    grants = [await home.connected(ada) for _ in range(2)]
    other = await home.connected(ada, "client_b", "Claude")
    assert "Cursor" in await browser.account()

    answer = await browser.post("/account/apps/disconnect", client_id="client_a")

    kept = [await home.oauth.stores.grants.find_grant(grant.id) for grant in (*grants, other)]
    assert answer.status_code == 303
    assert [grant is not None and grant.revoked_at is None for grant in kept] == [False, False, True]
    assert await home.oauth.stores.consents.find_consent(ada.id, "client_a", "localhost", NOW) is None
    page = await browser.account()
    assert re.search(r"Disconnected an app.*Cursor", page)
    apps = (await browser.get("/account")).text
    assert re.findall(r'name="client_id" value="([^"]*)"', apps) == ["client_b"]


@pytest.mark.security("CO-17")
async def test_what_an_app_has_not_fetched_yet_is_shown_and_ended_when_it_is_disconnected(
    home: House, ada: User, browser: Browser
) -> None:
    await home.connected(ada, "client_c", "Zed")
    apps = [("client_a", "Cursor"), ("client_b", "Claude"), ("client_c", "Zed")]
    devices = [await home.let_in(ada, *app) for app in apps if app != apps[1]]
    codes = [await home.allowed(ada, *app) for app in apps[1:]]
    page = await browser.account()
    stores, statuses = home.oauth.stores, []

    for client_id, name in apps:
        assert name in page
        assert (await browser.post("/account/apps/disconnect", client_id=client_id)).status_code == 303
        found = [await stores.devices.find_device(device) for device in devices]
        statuses.append([each.status for each in found if each is not None])

    assert statuses == [["denied", "approved"], ["denied", "approved"], ["denied", "denied"]]
    assert [await stores.grants.claim_code(code, None, NOW) for code in codes] == [None, None]
    assert "No app is connected" in await browser.account()


async def test_an_app_of_somebody_else_cannot_be_disconnected(home: House, browser: Browser) -> None:
    grant = await home.connected(await home.account(BOB))

    answer = await browser.post("/account/apps/disconnect", client_id="client_a")

    found = await home.oauth.stores.grants.find_grant(grant.id)
    assert answer.status_code == 400
    assert found is not None
    assert found.revoked_at is None


async def test_what_an_app_calls_itself_is_shown_as_text(home: House, ada: User, browser: Browser) -> None:
    await home.connected(ada, name="<script>alert(1)</script>\u202eevil")

    page = await browser.account()

    assert "<script>" not in page
    assert "\u202e" not in page


async def test_there_is_no_key_to_link_where_the_api_is_embedded(browser: Browser) -> None:
    assert "Minds key" not in await browser.account()
    assert (await browser.post("/account/minds-key", key="minds_" + "0" * 48)).status_code == 400


async def test_towards_a_real_api_a_key_is_linked_and_removed(real: House) -> None:
    ada = await real.account(ADA)
    browser = await real.browser(ada)

    assert (await browser.post("/account/minds-key", key="nonsense")).status_code == 400
    assert (await browser.post("/account/minds-key", key=KEY)).status_code == 303
    found = await real.oauth.links.key_of(ada.id, NOW)
    page = await browser.account()
    assert found is not None
    assert found.get_secret_value() == KEY
    assert "beef" in page
    assert KEY not in page
    assert (await browser.post("/account/minds-key/remove")).status_code == 303
    assert await real.oauth.links.key_of(ada.id, NOW) is None


async def test_a_form_that_is_refused_keeps_what_was_filled_in(browser: Browser) -> None:
    ticks = {"scope sparks:read": "on", "scope docs:read": "on"}
    answer = await browser.post("/account/keys", name=LONG, lifetime="1 year", **ticks)

    form = answer.text[answer.text.index("New key") :]
    assert answer.status_code == 400
    assert [html.unescape(name) for name in re.findall(r'name="name"[^>]* value="([^"]*)"', form)] == [LONG]
    assert sorted(re.findall(r'name="(scope [^"]*)" value="on" checked', form)) == [
        "scope docs:read",
        "scope sparks:read",
    ]
    assert re.findall(r'<option value="([^"]*)" selected', form) == ["1 year"]
    fresh = (await browser.get("/account/keys")).text
    assert len(re.findall(r'name="scope [^"]*" value="on" checked', fresh)) == len(SCOPES)
    assert re.findall(r'<option value="([^"]*)" selected', fresh) == ["90 days"]


async def test_while_the_api_is_down_linking_says_so_on_the_account_page(real: House, keys: RealKeys) -> None:
    browser = await real.browser(await real.account(ADA))
    keys.is_down = True

    answer = await browser.post("/account/minds-key", key=KEY)

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "Your account" in answer.text
    assert re.search(r'role="alert">[^<]*was not linked', answer.text)
    assert KEY not in answer.text


async def test_of_one_account_ten_keys_a_minute_are_shown_to_the_api(real: House, keys: RealKeys) -> None:
    ada, bob = [await real.browser(await real.account(email)) for email in (ADA, BOB)]
    tries = [f"minds_{number:048d}" for number in range(12)]
    keys.dead |= {*tries}

    answers = [await ada.post("/account/minds-key", key=key) for key in tries]
    others = await bob.post("/account/minds-key", key=KEY)

    assert [answer.status_code for answer in answers] == [400] * 10 + [429] * 2
    assert 0 < int(answers[-1].headers["retry-after"]) <= 60
    assert "Your account" in answers[-1].text
    assert keys.asked[:11] == [*tries[:10], KEY]
    assert others.status_code == 303


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"dead": {KEY}}, "does not work any more"),
        ({"is_down": True}, "is linked. Whether it still works cannot be checked"),
        ({"is_silent": True}, "is linked. Whether it still works cannot be checked"),
    ],
)
async def test_the_api_says_whether_a_linked_key_works_and_its_silence_says_nothing(
    real: House, keys: RealKeys, changed: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys_tab, "PATIENCE", 0.1)
    browser = await real.browser(await real.account(ADA))
    assert "is linked" not in await browser.account()
    await browser.post("/account/minds-key", key=KEY)
    vars(keys).update(changed)
    real.oauth.verifier.clear()

    page = await browser.account()

    assert words in page
    assert ("is linked." in page) is ("is linked." in words)


async def test_a_linked_key_that_was_sealed_with_another_secret_is_dead(real: House, engine: AsyncEngine) -> None:
    ada = await real.account(ADA)
    await (await real.browser(ada)).post("/account/minds-key", key=KEY)
    sealer = Sealer(SecretStr("another secret of the installation, as long"))
    links = Links(LinkedKeyStore(engine), sealer, RealKeys())

    assert await linked_key(links, real.oauth.verifier, ada.id, NOW) == Linked("beef", "dead")


async def test_towards_a_real_api_no_key_is_made_that_it_would_not_know(real: House) -> None:
    ada = await real.account(ADA)
    browser = await real.browser(ada)
    key = await create_key(real.oauth.stores.accounts, ada, name="old", scopes=ALL, lifetime=None, now=NOW)

    page = await browser.get("/account/keys")
    made = await browser.post("/account/keys", name="laptop", once="1", **{"scope sparks:read": "on"})
    rotated = await browser.post(f"/account/keys/{key.key.id}/rotate", once="2")
    owned = await real.oauth.stores.accounts.list_keys(ada.id)

    assert "New key" not in page.text
    assert [made.status_code, rotated.status_code] == [400, 400]
    assert [each.key.id for each in owned] == [key.key.id]


async def test_a_key_is_made_for_what_is_served_and_nothing_else(engine: AsyncEngine) -> None:
    async with house(engine, scopes=frozenset({"sparks:read"})) as home:
        browser = await home.browser(await home.account(ADA))
        page = await browser.get("/account/keys")
        refused = await browser.post("/account/keys", name="laptop", **{"scope docs:read": "on"})

    assert 'name="scope sparks:read"' in page.text
    assert "docs:read" not in page.text
    assert refused.status_code == 400

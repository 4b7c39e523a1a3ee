"""Passkeys in a real browser, with the virtual authenticator of its development tools."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.async_api import CDPSession, Page, Request

from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
from tests.browser.pages import confirm, follow, path, press
from tests.processes import HOST, free_port, serving

BUTTON = "Sign in with a passkey"
LONG = "Laptop " + "Rindfleischetikettierungsüberwachungs" * 2
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with a host name: WebAuthn takes no IP address."""
    port, folder = free_port(), tmp_path_factory.mktemp("named-site")
    url = f"http://localhost:{port}"
    settings = {"HOST": HOST, "PORT": str(port), "SITE_URL": url, "DATA_DIR": str(folder / "var")}
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(url, settings, folder)


@dataclass(frozen=True)
class Device:
    """The authenticator of one page."""

    session: CDPSession
    id: str

    async def credentials(self) -> list[dict[str, Any]]:
        told = await self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})
        held: list[dict[str, Any]] = told["credentials"]
        return held

    async def hold(self, credential: dict[str, Any]) -> None:
        await self.session.send("WebAuthn.addCredential", {"authenticatorId": self.id, "credential": credential})

    async def verify(self, holds: bool) -> None:
        """Whether the person's fingerprint is the right one from now on."""
        await self.session.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": holds})


async def device_of(page: Page) -> Device:
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return Device(session, made["authenticatorId"])


async def add(page: Page, name: str) -> None:
    await page.goto("/account")
    await follow(page, "Passkeys")
    await page.get_by_label("Name of the device").fill(name)
    await press(page, "Add a passkey")


async def test_a_passkey_is_added_signs_in_without_an_address_and_is_removed(
    page_of: PageOf, site: Site, looks: Looks
) -> None:
    page = await page_of(site.account("passkeys"))
    device = await device_of(page)
    await add(page, "Phone")
    assert await page.get_by_text("not used yet").count() == 1
    await page.goto("/account")
    await press(page, "Sign out")

    await page.goto("/oauth/login")
    await press(page, BUTTON)

    assert path(page) == "/account"
    await page.goto("/account/activity")
    happened = await page.get_by_role("region", name="Activity").inner_text()
    assert [happened.count(what) for what in ("Added a passkey · Phone", "Signed in with a passkey · Phone")] == [1, 1]
    (credential,) = await device.credentials()
    assert (credential["rpId"], credential["isResidentCredential"]) == ("localhost", True)
    await follow(page, "Passkeys")
    assert await page.get_by_text("last used on").count() == 1
    await confirm(page, "Remove", "Phone")
    assert await page.get_by_text("You have no passkeys yet.").count() == 1

    await page.goto("/oauth/login")
    await press(page, BUTTON)
    assert path(page) == "/oauth/login"
    assert await page.get_by_role("alert").count() == 1
    await looks.check(page, "login-passkey-refused")


async def test_an_answer_that_was_taken_is_not_taken_again(page_of: PageOf, site: Site) -> None:
    page = await page_of(site.account("replayed"))
    await device_of(page)
    await add(page, "Phone")
    await page.context.clear_cookies()
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    await page.goto("/oauth/login")
    cookies = await page.context.cookies()
    await press(page, BUTTON)
    assert path(page) == "/account"

    await page.context.clear_cookies()
    await page.context.add_cookies(cookies)  # type: ignore[arg-type]  # what was got is what is set
    headers = {"origin": site.url, "content-type": "application/x-www-form-urlencoded"}
    request = page.context.request
    again = await request.post("/oauth/login", data=sent[0].post_data or "", headers=headers, max_redirects=0)

    assert (again.status, "too long, or was sent twice" in await again.text()) == (403, True)
    assert [each["name"] for each in await page.context.cookies() if "session" in each.get("name", "")] == []


async def test_a_copied_passkey_is_refused_once_the_other_was_used(
    page_of: PageOf, open_page: OpenPage, site: Site
) -> None:
    page = await page_of(site.account("copied"))
    device = await device_of(page)
    await add(page, "Phone")
    (copied,) = await device.credentials()
    await page.goto("/oauth/login")
    for _ in range(2):
        await press(page, BUTTON)
        await page.goto("/oauth/login")
    thief = await open_page()
    await (await device_of(thief)).hold(copied)

    await thief.goto("/oauth/login")
    await press(thief, BUTTON)

    assert path(thief) == "/oauth/login"
    await page.goto("/account/activity")
    happened = await page.get_by_role("region", name="Activity").inner_text()
    assert happened.count("Stopped a passkey that may have been copied · Phone") == 1


async def test_who_is_not_verified_stays_where_they_are(page_of: PageOf, site: Site, looks: Looks) -> None:
    page = await page_of(site.account("unverified"))
    device = await device_of(page)
    await add(page, "Phone")
    await device.verify(holds=False)
    await page.goto("/oauth/login")

    await page.get_by_role("button", name=BUTTON).click()

    await page.get_by_role("alert").wait_for()
    assert path(page) == "/oauth/login"
    assert await page.get_by_role("button", name=BUTTON).is_enabled()
    await looks.check(page, "login-passkey-cancelled")


async def test_a_page_that_was_open_for_long_gets_a_new_challenge(page_of: PageOf, site: Site) -> None:
    page = await page_of(site.account("slow"))
    await device_of(page)
    await add(page, "Phone")
    await page.clock.install()
    await page.goto("/oauth/login")
    ticket = page.locator("form[data-passkey] input[name=ticket]")
    before = await ticket.get_attribute("value")
    await page.clock.fast_forward("10:00")
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)

    await press(page, BUTTON)

    assert path(page) == "/account"
    assert before not in {*dict(parse_qsl(sent[0].post_data or "")).values()}


async def test_one_device_is_not_added_twice(page_of: PageOf, site: Site, looks: Looks) -> None:
    page = await page_of(site.account("twice"))
    await device_of(page)
    await page.goto("/account/passkeys")
    await looks.check(page, "passkeys-empty")
    await add(page, LONG)
    await looks.check(page, "passkeys")

    await page.get_by_label("Name of the device").fill("again")
    await page.get_by_role("button", name="Add a passkey").click()

    await page.get_by_role("alert").wait_for()
    await page.locator("summary").click()
    await looks.check(page, "passkeys-twice")


async def test_the_page_works_without_scripts_and_the_sign_in_page_is_as_before(
    page_of: PageOf, site: Site, looks: Looks
) -> None:
    page = await page_of(site.account("plain"), java_script_enabled=False)
    await page.goto("/account/passkeys")
    assert await page.get_by_label("Name of the device").is_visible() is False
    assert await page.get_by_text("This browser cannot make passkeys here").count() == 1

    await page.goto("/oauth/login")
    assert await page.get_by_role("button", name=BUTTON).count() == 0


async def test_the_sign_in_page_with_a_passkey(open_page: OpenPage, looks: Looks) -> None:
    page = await open_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    await page.goto("/oauth/login")

    await page.get_by_role("button", name=BUTTON).wait_for()

    await looks.check(page, "login-passkey")
    assert complaints == []

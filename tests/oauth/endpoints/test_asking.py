"""The app that asks, as the pages introduce it: its logo or first letter, what stands for it, and one warning."""

import html
import re

import httpx2
import pytest

from oauth.errors import TemporarilyUnavailable
from oauth.grants import Client
from oauth.primitives.fetching import Fetched
from tests.oauth.browsing import Browser, Gate, address, client, words

ADA = "ada@example.com"
DOCUMENT = "https://claude.ai/oauth/client.json"
LOGO, PNG = "https://claude.ai/logo.png", b"\x89PNG\r\n\x1a\nxyz"


def vouched(*redirect_uris: str) -> Client:
    return client(DOCUMENT, *redirect_uris, kind="document", name="Claude", logo_uri=LOGO)


async def logo_of(browser: Browser, page: httpx2.Response) -> httpx2.Response | None:
    shown = re.search('<img class="tile" src="([^"]+)"', page.text)
    return None if shown is None else await browser.visit(html.unescape(shown[1]))


@pytest.mark.security("RG-39")
async def test_a_verified_app_has_its_logo_from_our_own_address(gate: Gate) -> None:
    gate.web.answers[LOGO] = Fetched(200, {"content-type": "text/html"}, PNG)
    gate.directory.add(vouched("https://claude.ai/cb"))
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address(client_id=DOCUMENT, redirect_uri="https://claude.ai/cb"))
    logo = await logo_of(browser, page)

    assert "Verified: claude.ai" in words(page)
    assert 'class="warning"' not in page.text
    assert logo is not None
    assert (logo.content, logo.headers["content-type"]) == (PNG, "image/png")
    assert logo.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in logo.headers["content-security-policy"]
    assert LOGO not in page.text


@pytest.mark.parametrize("redirect_uri", ["http://localhost/cb", "https://claude.ai/cb"])
async def test_an_app_that_is_not_proven_or_has_no_picture_has_its_first_letter(gate: Gate, redirect_uri: str) -> None:
    picture = PNG if "localhost" in redirect_uri else b"<svg/>"
    gate.web.answers[LOGO] = Fetched(200, {}, picture)
    gate.directory.add(vouched(redirect_uri))
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address(client_id=DOCUMENT, redirect_uri=redirect_uri))

    assert await logo_of(browser, page) is None
    assert '<span class="tile" aria-hidden="true">C</span>' in page.text


@pytest.mark.security("RG-24")
async def test_nobody_has_a_logo_fetched_without_a_request_that_we_sealed(gate: Gate) -> None:
    gate.directory.add(vouched())
    browser = await gate.browser()

    answers = [await browser.visit(f"/oauth/logo{query}") for query in ("", "?request=guess", f"?request={DOCUMENT}")]

    assert [each.status_code for each in answers] == [400] * 3
    assert gate.web.asked == []


async def test_the_app_that_waits_behind_the_sign_in_is_told_and_no_fault_of_it_stops_the_sign_in(gate: Gate) -> None:
    path = (await (await gate.browser()).http.get(address())).headers["location"]

    behind = await gate.asking.behind(path, gate.now)
    gate.directory.fault = TemporarilyUnavailable("quoted")

    assert behind is not None
    assert (behind["name"], behind["redirect_host"], behind["logo"]) == ("Some App", "app.example", None)
    assert await gate.asking.behind(path, gate.now) is None
    assert await gate.asking.behind(f"{path}x", gate.now) is None
    assert await gate.asking.behind("/account", gate.now) is None


@pytest.mark.security("RG-38", "AZ-32")
async def test_whatever_there_is_to_warn_of_is_one_warning(gate: Gate) -> None:
    gate.directory.add(client("odd", "http://127.0.0.1/cb", name="Cl\u0430ude", imitates=True))
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address(client_id="odd", redirect_uri="http://127.0.0.1:8/cb"))

    assert page.text.count('class="warning"') == 1
    assert "Not verified" in words(page)
    for said in ("Nobody has checked", "any program on this device", "letters that look like others", "Go on only if"):
        assert said in words(page)

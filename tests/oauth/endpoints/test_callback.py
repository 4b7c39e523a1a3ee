"""Coming back from an identity provider: one browser, one sign-in, one answer."""

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.html_pages import HtmlPage
from tests.oauth.endpoints.sign_in_gate import PATH, Browser, Gate
from tests.oauth.oidc_provider import Running


@pytest.fixture
def gate(engine: AsyncEngine, idp: Running) -> Gate:
    return Gate(engine, idp, embedded=False)


async def away(browser: Browser, idp: Running, path: str = PATH) -> str:
    """Begin a sign-in; the address that the provider sends the browser back to."""
    return idp.visit((await browser.open_login(path)).headers["location"])


def tickets(browser: Browser) -> list[str]:
    return [name for name in browser.cookies if name.startswith("__Host-sign-in-")]


async def test_somebody_signs_in_elsewhere_and_goes_on(gate: Gate, idp: Running) -> None:
    browser = gate.browser()
    address = await away(browser, idp)
    held = tickets(browser)

    answer = await browser.get(address)

    assert (answer.status_code, answer.headers["location"]) == (303, PATH)
    assert answer.headers["cache-control"] == "no-store"
    assert await browser.who() == "bob@example.com"
    assert (len(held), tickets(browser)) == (1, [])


@pytest.mark.requirement("seed:gateway:oauth-authorize-google", "seed:gateway:oauth-callback")
async def test_a_sign_in_with_supabase_comes_back_to_its_own_address(engine: AsyncEngine, idp: Running) -> None:
    gate = Gate(engine, idp, embedded=False, supabase=True)
    browser = gate.browser()
    link = next(link for link in HtmlPage((await browser.open_login()).text).links if "supabase" in link)
    onward = (await browser.get(link)).headers["location"]
    address = idp.visit(onward)

    answer = await browser.get(address)

    assert "provider=google" in onward
    assert address.startswith("https://gw.example.com/oauth/callback/supabase?")
    assert answer.headers["location"] == PATH
    assert await browser.who() == "bob@example.com"


@pytest.mark.security("CB-01")
@pytest.mark.parametrize("query", ["", "?state=guess&code=c", "?error=access_denied", "?code=c", "?state=&code=c"])
async def test_an_answer_to_nothing_is_a_page(gate: Gate, query: str) -> None:
    answer = await gate.browser().get(f"/oauth/callback{query}")

    assert answer.status_code == 403
    assert HtmlPage(answer.text).links == ["/oauth/login"]
    assert "location" not in answer.headers


@pytest.mark.security("CB-02")
@pytest.mark.parametrize("again", ["code=another", "state=another", "iss=https://other.example"])
async def test_an_answer_that_says_something_twice_is_refused(gate: Gate, idp: Running, again: str) -> None:
    browser = gate.browser()

    answer = await browser.get(f"{await away(browser, idp)}&{again}")

    assert answer.status_code == 400
    assert await browser.who() == "nobody"


@pytest.mark.security("CB-03", "CO-11")
async def test_an_answer_in_another_browser_signs_nobody_in(gate: Gate, idp: Running) -> None:
    mallory, victim = gate.browser(), gate.browser()
    await away(victim, idp)

    answer = await victim.get(await away(mallory, idp))

    assert answer.status_code == 403
    assert await victim.who() == "nobody"


@pytest.mark.security("CB-03")
async def test_an_answer_is_taken_once(gate: Gate, idp: Running) -> None:
    browser = gate.browser()
    address = await away(browser, idp)
    kept = dict(browser.cookies)
    await browser.get(address)

    thief = gate.browser()
    for name, value in kept.items():
        thief.cookies.set(name, value, domain="gw.example.com", path="/")

    assert (await browser.get(address)).status_code == 403
    assert (await thief.get(address)).status_code == 403
    assert await thief.who() == "nobody"


@pytest.mark.security("CB-04")
@pytest.mark.parametrize(
    ("error", "heard", "waits"),
    [
        ("access_denied", "access_denied", False),
        ("access_denied", "access_denied", True),
        *((error, "login_required", True) for error in ("login_required", "consent_required", "interaction_required")),
    ],
)
async def test_who_declines_or_could_not_be_asked_is_no_cheat_and_the_client_hears_of_it(
    gate: Gate, idp: Running, error: str, heard: str, waits: bool
) -> None:
    browser, gate.waiting.waits = gate.browser(), waits
    idp.told(answer={"error": error, "error_description": "<b>upstream</b>"})

    answer = await browser.get(await away(browser, idp))

    assert gate.waiting.told == [(PATH, heard)]
    assert "upstream" not in answer.text + answer.headers.get("location", "")
    assert await browser.who() == "nobody"
    assert answer.status_code == (303 if waits else 403)
    assert answer.headers.get("location") == (f"https://app.example/cb?error={heard}" if waits else None)


@pytest.mark.security("CB-06")
@pytest.mark.parametrize("name", ["error", "error_description", "error_uri", "code", "iss"])
async def test_markup_in_an_answer_is_nowhere_on_the_page(gate: Gate, idp: Running, name: str) -> None:
    browser = gate.browser()
    idp.told(answer={"error": "invalid_request"} | {name: "<script>alert(1)</script>"})

    known = await browser.get(await away(browser, idp))
    unknown = await browser.get("/oauth/callback", params={name: "<script>", "state": "<script>"})

    assert (known.status_code, unknown.status_code) == (403, 403)
    assert "script" not in known.text + unknown.text
    assert "frame-ancestors 'none'" in known.headers["content-security-policy"]


@pytest.mark.security("CB-05", "CB-07")
@pytest.mark.parametrize(
    "told",
    [
        {"signature": "none"},
        {"signature": "another key"},
        {"claims": {"aud": "another-client"}},
        {"claims": {"nonce": "another"}},
        {"claims": {"iss": "https://other.example"}},
        {"times": {"exp": -60}},
    ],
)
async def test_an_answer_that_proves_nothing_signs_nobody_in(gate: Gate, idp: Running, told: dict[str, Any]) -> None:
    browser = gate.browser()
    idp.told(**told)

    answer = await browser.get(await away(browser, idp))
    idp.told()
    second = await browser.get(HtmlPage(answer.text).links[0])

    assert answer.status_code == 403
    assert await browser.who() == "nobody"
    assert tickets(browser) != [], "trying again has begun a new sign-in"
    assert (await browser.get(idp.visit(second.headers["location"]))).headers["location"] == PATH


@pytest.mark.security("CB-10")
@pytest.mark.parametrize("fault", ["500", "html", "huge", "redirect", "silent"])
async def test_a_provider_out_of_order_leaves_a_way_on(gate: Gate, idp: Running, fault: str) -> None:
    browser = gate.browser()
    idp.told(token_endpoint=fault)

    answer = await browser.get(await away(browser, idp))

    again, back = HtmlPage(answer.text).links
    assert answer.status_code == 503
    assert again.startswith("/oauth/login?continue=")
    assert back == "https://app.example/cb?error=temporarily_unavailable"
    assert "boom" not in answer.text
    assert tickets(browser) == []


@pytest.mark.security("CB-13")
async def test_the_address_is_for_browsers_that_come_back(gate: Gate) -> None:
    browser, headers = gate.browser(), {"origin": "https://app.example"}

    answers = [await browser.request(method, "/oauth/callback", headers=headers) for method in ("PUT", "POST", "GET")]

    assert [answer.status_code for answer in answers] == [405, 405, 403]
    assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)

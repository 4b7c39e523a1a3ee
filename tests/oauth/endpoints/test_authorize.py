"""The authorization endpoint: what is refused here, what the client hears of, and what leads to consent."""

import logging
import tomllib
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from oauth.endpoints.consent import short_routes
from tests.oauth.browsing import REDIRECT, SITE, Browser, Gate, address, answer, asked, client, is_local_page, words

STATE = asked()["state"]


async def refused_to_client(browser: Browser, changes: dict[str, str | None]) -> str:
    """The error word that the client gets, with its state and our issuer."""
    response = await browser.http.get(address(**changes))
    told = answer(response)
    assert response.status_code == 302
    assert response.headers["location"].startswith(f"{REDIRECT}?")
    assert (told["state"], told["iss"]) == (STATE, SITE)
    assert "code" not in told
    return told["error"]


@pytest.mark.security("AZ-01")
async def test_a_client_never_seen_before_gets_a_page_and_no_code(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")

    page = await browser.visit(address())

    assert page.status_code == 200
    assert "Some App" in words(page)
    assert "code=" not in str(page.url)


UNKNOWN = [None, "", "nobody", "../../etc/passwd", "' OR 1=1--", "a\r\nX: y", "x" * 5_120, "app\0", "äpp", "x" * 1_025]
CASES = tomllib.loads(Path(__file__).with_name("authorize.toml").read_text("utf-8"))


@pytest.mark.security("AZ-02", "AZ-03", "AZ-24", "AZ-29")
@pytest.mark.parametrize(
    ("name", "values"), [("client_id", UNKNOWN), ("redirect_uri", CASES["altered"]), ("state", ["s" * 60_000])]
)
async def test_an_unknown_client_a_redirect_that_differs_in_a_byte_and_a_huge_query_are_told_here(
    gate: Gate, name: str, values: list[str | None]
) -> None:
    browser = await gate.browser()

    led_away = [each for each in values if not is_local_page(await browser.http.get(address(**{name: each})))]

    assert led_away == []
    assert is_local_page(await browser.http.get(address() + "&x=1" * 15_000))


@pytest.mark.security("AZ-07")
async def test_of_several_redirects_one_must_be_named_and_of_one_none(gate: Gate) -> None:
    gate.directory.add(client("two", "https://a.example/cb", "https://b.example/cb"), client("none"))
    browser = await gate.browser()

    assert is_local_page(await browser.http.get(address(client_id="two", redirect_uri=None)))
    assert (await browser.http.get(address(redirect_uri=None))).headers["location"].startswith("/oauth/consent?")


UNSERVED: list[dict[str, str | None]] = [
    {"code_challenge": None},
    {"code_challenge": None, "code_challenge_method": None},
    *[{"code_challenge_method": method} for method in ("plain", "PLAIN", "s256", "none", "S512", "", None)],
    {"response_type": None},
    {"request_uri": "https://canary.example/r"},
    {"request": "eyJhbGciOiJub25lIn0.e30."},
]
UNSERVED += [{"response_mode": mode} for mode in ("fragment", "form_post", "web_message", "jwt", "query.jwt")]
OTHER_TYPES = ("token", "code token", "id_token", "CODE", "none")


@pytest.mark.requirement("seed:gateway:oauth-authorize-pkce")
@pytest.mark.security("AZ-08", "AZ-09", "AZ-11", "AZ-18", "AZ-19", "AZ-20")
async def test_the_client_hears_of_a_request_without_pkce_or_for_what_is_not_served_here(gate: Gate) -> None:
    browser = await gate.browser()

    heard = [await refused_to_client(browser, changes) for changes in UNSERVED]
    of_types = [await refused_to_client(browser, {"response_type": kind}) for kind in OTHER_TYPES]

    assert heard == ["invalid_request"] * len(UNSERVED)
    assert of_types == ["unsupported_response_type"] * len(OTHER_TYPES)


@pytest.mark.security("AZ-13")
async def test_a_repeated_parameter_is_told_here_whichever_comes_first(gate: Gate) -> None:
    browser = await gate.browser()
    second = {
        "redirect_uri": "https://evil.example/cb",
        "client_id": "other",
        "code_challenge": "b" * 43,
        "response_type": "token",
        "state": "other",
    }

    for name, value in second.items():
        pair = f"{name}={quote(value)}"
        before, after = address().replace("?", f"?{pair}&"), f"{address()}&{pair}"
        assert is_local_page(await browser.http.get(before))
        assert is_local_page(await browser.http.get(after))


@pytest.mark.security("AZ-17")
async def test_the_state_comes_back_byte_for_byte_and_is_on_no_page(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")
    states = [
        "a b+c/d=e&f",
        "äöü 漢字 🚀",
        "<script>alert(1)</script>",
        '{"a": ["b", 1]}',
        "x" * 2_048,
        "ü" * 2_000,
        "%41",
        "a\r\nSet-Cookie: x=y",
        "\x00\x1f",
    ]

    for state in states:
        page = await browser.visit(address(state=state, prompt="consent"))
        assert page.status_code == 200
        assert "<script>" not in page.text
        assert "alert(1)" not in page.text
        allowed = await browser.submit(page, "allow")
        assert answer(allowed)["state"] == state
        assert "x=y" not in allowed.headers.get("set-cookie", "")
    refused = await browser.http.get(address(state="a b+c", response_type="token"))
    assert "state=a%20b%2Bc" in refused.headers["location"]


async def test_a_request_that_fits_into_no_address_is_refused_to_the_client(gate: Gate) -> None:
    browser = await gate.browser()

    for length in (5_000, 9_000):
        told = answer(await browser.http.get(address(state="s" * length)))

        assert (told["error"], told["state"]) == ("invalid_request", "s" * length)


@pytest.mark.security("AZ-18")
async def test_a_redirect_with_parameters_keeps_them_and_one_with_ours_is_not_trusted(gate: Gate) -> None:
    gate.directory.add(client("query", "https://q.example/cb?a=b%20c"), client("iss", "https://i.example/cb?iss=x"))
    browser = await gate.browser()

    kept = await browser.http.get(address(client_id="query", redirect_uri=None, response_type="token"))

    assert kept.headers["location"].startswith("https://q.example/cb?a=b%20c&error=")
    assert is_local_page(await browser.http.get(address(client_id="iss", redirect_uri=None)))


@pytest.mark.security("AZ-20")
async def test_a_code_travels_in_the_query(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")

    allowed = await browser.submit(await browser.visit(address(response_mode="query")), "allow")

    assert "#" not in allowed.headers["location"]


@pytest.mark.security("AZ-22")
async def test_redirects_and_pages_are_kept_nowhere_and_leak_no_address(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")

    page = await browser.visit(address())
    answers = [
        await browser.submit(page, "allow"),
        await browser.http.get(address(response_type="token")),
        await browser.http.get(address()),
    ]

    assert {each.headers["cache-control"] for each in (*answers, page)} == {"no-store"}
    assert {each.headers["referrer-policy"] for each in answers} == {"no-referrer"}
    assert page.headers["referrer-policy"] in {"no-referrer", "same-origin"}  # neither names us to another site


@pytest.mark.security("AZ-23", "AZ-24")
async def test_markup_and_line_breaks_in_any_parameter_are_neither_page_nor_header(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")
    evil = "<script>alert(1)</script>\r\nSet-Cookie: evil=1"

    for name in (*asked(), "prompt", "error", "resource", "response_mode", "request_uri"):
        response = await browser.visit(address(**{name: evil}))
        assert "<script>" not in response.text
        assert "set-cookie" not in response.headers
        assert "\n" not in response.headers.get("location", "")


@pytest.mark.security("AZ-26")
async def test_no_script_of_another_site_may_read_it(gate: Gate) -> None:
    browser = await gate.browser()

    response = await browser.http.get(address(), headers={"origin": "https://evil.example"})
    preflight = await browser.http.options(address(), headers={"origin": "https://evil.example"})

    assert not [name for each in (response, preflight) for name in each.headers if "access-control" in name]


@pytest.mark.security("AZ-30")
async def test_a_registration_that_has_gone_is_told_in_plain_words(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")
    page = await browser.visit(address())
    del gate.directory.clients["app"]

    first, later = await browser.http.get(address()), await browser.submit(page, "allow")

    for response in (first, later):
        assert is_local_page(response)
        assert "add it again" in words(response)


@pytest.mark.security("AZ-33")
async def test_nothing_of_a_request_is_logged_here(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    browser = await gate.signed_in_browser("ada@example.com")
    caplog.set_level(logging.DEBUG, logger="oauth")

    await browser.submit(await browser.visit(address()), "allow")

    assert [record for record in caplog.records if record.name.startswith("oauth")] == []


@pytest.mark.requirement("seed:gateway:env-site-url-redirects", "seed:gateway:oauth-tunnel")
@pytest.mark.security("AZ-34")
async def test_behind_a_proxy_every_address_stays_the_configured_one(gate: Gate) -> None:
    browser = await gate.browser()
    headers = {"x-forwarded-proto": "http", "x-forwarded-host": "evil.example"}

    onward = await browser.http.get(address(), headers=headers)
    refused = await browser.http.get(address(response_type="token"), headers=headers)

    assert onward.headers["location"].startswith("/oauth/consent?")
    assert answer(refused)["iss"] == SITE


@pytest.mark.slow
@pytest.mark.security("AZ-35")
async def test_requests_that_are_abandoned_leave_nothing_behind(gate: Gate) -> None:
    browser = await gate.signed_in_browser("ada@example.com")
    before = await gate.rows()

    for number in range(100):
        assert (await browser.visit(address(state=str(number)))).status_code == 200

    assert await gate.rows() == before


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("/login", "/oauth/login"),
        ("/login?continue=a%20b", "/oauth/login?continue=a%20b"),
        ("/consent?request=x", "/oauth/consent?request=x"),
    ],
)
def test_a_short_address_leads_to_the_page_with_its_parameters(short: str, full: str) -> None:
    client = TestClient(Starlette(routes=short_routes()), follow_redirects=False)

    answer = client.get(short)

    assert (answer.status_code, answer.headers["location"]) == (303, full)

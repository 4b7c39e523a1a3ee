"""Cookies are bound to this host, hidden from scripts, and found again by their plain names."""

from datetime import timedelta
from http.cookies import Morsel, SimpleCookie

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.signed_in import MAX_COOKIES, MAX_TICKET, Cookies, browser_name
from oauth.flows.external_sign_in import StartedSignIn
from oauth.settings import OAuthSettings

HTTPS = Cookies(OAuthSettings("https://gw.example.com", frozenset()))
LOOPBACK = Cookies(OAuthSettings("http://127.0.0.1:8000", frozenset()))


def only_cookie(response: Response) -> tuple[str, Morsel[str]]:
    ((name, morsel),) = SimpleCookie(response.headers["set-cookie"]).items()
    return name, morsel


@pytest.mark.security("CO-08")
@pytest.mark.parametrize(
    ("cookies", "named", "secure"), [(HTTPS, "__Host-session", True), (LOOPBACK, "port-8000-session", "")]
)
def test_a_cookie_is_hidden_and_lax_bound_to_its_host_or_port_and_cleared_as_it_was_set(
    cookies: Cookies, named: str, secure: bool | str
) -> None:
    kept, cleared = Response(), Response()

    cookies.set(kept, "session", "secret", timedelta(hours=1))
    cookies.clear(cleared, "session")

    (name, cookie), (gone, after) = only_cookie(kept), only_cookie(cleared)
    assert (name, cookie.value, cookie["path"], cookie["domain"]) == (named, "secret", "/", "")
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (
        secure,
        True,
        "lax",
        "3600",
    )
    assert (gone, after["max-age"], after["secure"], after["path"]) == (named, "0", secure, "/")


class Browser:
    """Keeps cookies in the order in which they were set."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}

    @property
    def request(self) -> Request:
        cookie = "; ".join(f"{name}={value}" for name, value in self.held.items())
        return Request({"type": "http", "headers": [(b"cookie", cookie.encode())]})

    def take(self, response: Response) -> None:
        for header in response.headers.getlist("set-cookie"):
            for name, morsel in SimpleCookie(header).items():
                if morsel["max-age"] == "0":
                    self.held.pop(name, None)
                else:
                    self.held[name] = morsel.value

    def keep(self, started: StartedSignIn) -> None:
        response = Response()
        HTTPS.keep_ticket(self.request, response, started)
        self.take(response)

    def drop(self, key: str) -> None:
        response = Response()
        HTTPS.drop_ticket(self.request, response, key)
        self.take(response)


@pytest.mark.parametrize("length", [1, MAX_TICKET])
def test_a_ticket_comes_back_whole_from_cookies_that_browsers_keep(length: int) -> None:
    browser, ticket = Browser(), "t" * length

    browser.keep(StartedSignIn("https://idp.example/", "key", ticket))

    assert HTTPS.ticket(browser.request, "key") == ticket
    assert all(len(name) + len(value) < 4_096 for name, value in browser.held.items())
    assert all(name.startswith("__Host-") for name in browser.held)


def test_tabs_do_not_meet() -> None:
    browser = Browser()
    browser.keep(StartedSignIn("https://idp.example/", "one", "1"))
    browser.keep(StartedSignIn("https://idp.example/", "two", "2"))

    browser.drop("two")

    assert HTTPS.ticket(browser.request, "one") == "1"
    assert HTTPS.ticket(browser.request, "two") is None
    assert len(browser.held) == 1


def test_the_oldest_make_room() -> None:
    browser = Browser()

    for number in range(20):
        browser.keep(StartedSignIn("https://idp.example/", f"key{number}", f"{number}"))

    assert len(browser.held) == MAX_COOKIES
    assert HTTPS.ticket(browser.request, "key19") == "19"
    assert HTTPS.ticket(browser.request, "key0") is None


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.0", None),
        ("", None),
    ],
)
def test_a_browser_is_named_by_what_people_call_it(agent: str, name: str | None) -> None:
    assert browser_name(agent) == name

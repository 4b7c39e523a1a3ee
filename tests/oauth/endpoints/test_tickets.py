"""Tickets of several sign-ins lie side by side in one browser, and old ones make room."""

from http.cookies import SimpleCookie

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.cookies import MAX_COOKIES, MAX_PARTS, PART, Tickets
from oauth.flows.external_sign_in import Begun
from oauth.settings import OAuthSettings

TICKETS = Tickets(OAuthSettings("https://gw.example.com", frozenset()))


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

    def keep(self, begun: Begun) -> None:
        response = Response()
        TICKETS.keep(self.request, response, begun)
        self.take(response)

    def drop(self, key: str) -> None:
        response = Response()
        TICKETS.drop(self.request, response, key)
        self.take(response)


@pytest.mark.parametrize("length", [1, PART, PART + 1, PART * MAX_PARTS])
def test_a_ticket_comes_back_whole_from_cookies_that_browsers_keep(length: int) -> None:
    browser, ticket = Browser(), "t" * length

    browser.keep(Begun("https://idp.example/", "key", ticket))

    assert TICKETS.find(browser.request, "key") == ticket
    assert all(len(name) + len(value) < 4_000 for name, value in browser.held.items())
    assert all(name.startswith("__Host-") for name in browser.held)


def test_tabs_do_not_meet() -> None:
    browser = Browser()
    browser.keep(Begun("https://idp.example/", "one", "1"))
    browser.keep(Begun("https://idp.example/", "two", "2" * (PART + 1)))

    browser.drop("two")

    assert TICKETS.find(browser.request, "one") == "1"
    assert TICKETS.find(browser.request, "two") is None
    assert len(browser.held) == 1


def test_the_oldest_make_room() -> None:
    browser = Browser()

    for number in range(20):
        browser.keep(Begun("https://idp.example/", f"key{number}", f"{number}"))

    assert len(browser.held) == MAX_COOKIES
    assert TICKETS.find(browser.request, "key19") == "19"
    assert TICKETS.find(browser.request, "key0") is None

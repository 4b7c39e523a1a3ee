"""Cookies are bound to this host, hidden from scripts, and found again by their plain names."""

from datetime import timedelta
from http.cookies import Morsel, SimpleCookie

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.cookies import Cookies
from oauth.settings import OAuthSettings

HTTPS = Cookies(OAuthSettings("https://gw.example.com", frozenset()))
LOOPBACK = Cookies(OAuthSettings("http://127.0.0.1:8000", frozenset()))


def sent(header: str) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", header.encode())]})


def only_cookie(response: Response) -> tuple[str, Morsel[str]]:
    ((name, morsel),) = SimpleCookie(response.headers["set-cookie"]).items()
    return name, morsel


@pytest.mark.security("CO-08")
def test_over_https_a_cookie_is_host_bound_secure_hidden_and_lax() -> None:
    response = Response()

    HTTPS.set(response, "session", "secret", timedelta(hours=1))

    name, cookie = only_cookie(response)
    assert (name, cookie.value, cookie["path"], cookie["domain"]) == ("__Host-session", "secret", "/", "")
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, True, "lax", "3600")


def test_on_plain_loopback_a_cookie_is_named_after_the_port() -> None:
    response = Response()

    LOOPBACK.set(response, "session", "secret", timedelta(hours=1))

    name, cookie = only_cookie(response)
    assert (name, cookie["secure"], cookie["httponly"], cookie["samesite"]) == ("port-8000-session", "", True, "lax")


def test_two_gateways_on_one_machine_leave_each_others_cookies_alone() -> None:
    both = sent("port-18000-flow-a=1; port-8000-session=ours; port-8001-session=theirs; port-8000-flow-b=2")
    unnamed = Cookies(OAuthSettings("http://localhost", frozenset()))

    assert LOOPBACK.get(both, "session") == "ours"
    assert LOOPBACK.names(both, "flow-") == ["flow-b"]
    assert unnamed.name("session") == "port-80-session"


@pytest.mark.parametrize("cookies", [HTTPS, LOOPBACK])
def test_a_cleared_cookie_expires_under_the_name_and_flags_it_was_set_with(cookies: Cookies) -> None:
    kept, cleared = Response(), Response()

    cookies.set(kept, "session", "secret", timedelta(hours=1))
    cookies.clear(cleared, "session")

    (name, before), (gone, after) = only_cookie(kept), only_cookie(cleared)
    assert (gone, after["max-age"]) == (name, "0")
    assert (after["secure"], after["path"]) == (before["secure"], before["path"])


def test_a_neighbours_cookie_of_the_plain_name_is_not_read_over_https() -> None:
    assert HTTPS.get(sent("session=planted"), "session") is None
    assert HTTPS.get(sent("session=planted; __Host-session=ours"), "session") == "ours"
    assert LOOPBACK.get(sent("port-8000-session="), "session") is None

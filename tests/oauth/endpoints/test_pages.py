"""Pages escape what they show, are kept by nobody and framed by nobody."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from oauth.endpoints.pages import START, Pages, redirect, shows_pages, way_back
from oauth.errors import (
    AccessDenied,
    Conflict,
    InvalidClient,
    InvalidRequest,
    StoreUnavailable,
    TemporarilyUnavailable,
    TooManyRequests,
    UnreadableDocument,
    UnusableDocument,
)
from oauth.primitives.sealing import Stale, Tampered
from tests.html_pages import HtmlPage


def test_a_page_hides_its_address_from_other_sites_and_lets_its_forms_name_their_origin() -> None:
    assert Pages().problem("Stop", "text").headers["referrer-policy"] == "same-origin"


AT = datetime(2026, 3, 5, 7, 9, tzinfo=UTC)
DAY, CLOCK = timedelta(days=1), timedelta(minutes=5)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("day(at)", "5 March 2026"),
        ("moment(at)", "5 March 2026, 07:09 UTC"),
        ("moment('2026-03-05T07:09:10.5Z')", "2026-03-05, 07:09 UTC"),
        ("moment('<b>')", "&lt;b&gt;,  UTC"),
        ("span(at, at)", "5 March 2026, 07:09 UTC"),
        ("span(at, at + five)", "5 March 2026, 07:09 to 07:14 UTC"),
        ("span(at, at + day)", "5 March 2026, 07:09 UTC to 6 March 2026, 07:09 UTC"),
    ],
)
def test_times_are_in_full_and_say_that_they_are_utc(call: str, shown: str) -> None:
    environment = Environment(loader=PackageLoader("oauth", "pages"), autoescape=True, trim_blocks=True)
    times = environment.get_template("times.html").module

    html = environment.from_string(f"{{{{ times.{call} }}}}").render(times=times, at=AT, five=CLOCK, day=DAY)

    assert re.sub(r"<[^>]*>", "", html).strip() == shown
    assert all(time.startswith(("2026-03-0", "&lt;b&gt;")) for time in re.findall('datetime="([^"]*)"', html))


def test_the_head_of_a_page_shows_who_has_signed_in_as_text() -> None:
    page = bytes(Pages().problem("Stop", "text", viewer="<b>ada</b>@example.com").body).decode()

    assert "<bdi>&lt;b&gt;ada&lt;/b&gt;@example.com</bdi>" in page.partition("<main")[0]
    assert "Signed in" not in bytes(Pages().problem("Stop", "text").body).decode()


def test_a_page_without_an_answer_says_when_to_try_again() -> None:
    assert Pages().problem("Try again", "Soon.", 503).headers["retry-after"] == "1"
    later = Pages().render("problem.html", 503, headers={"retry-after": "9"}, title="a", text="b", back=START)
    assert later.headers["retry-after"] == "9"
    assert "retry-after" not in Pages().problem("No", "Never.", 400).headers


FAULTS: dict[str, tuple[Exception, int]] = {
    "client": (InvalidClient("quoted"), 400),
    "form": (AccessDenied("The form was sent from another site."), 403),
    "twice": (Conflict("quoted"), 409),
    "forged": (Tampered("quoted"), 400),
    "stale": (Stale("quoted"), 400),
    "store": (StoreUnavailable("quoted"), 503),
    "document": (TemporarilyUnavailable("quoted"), 503),
    "broken": (UnusableDocument("The value of client_name is too long.", "app.example.com"), 400),
    "unread": (UnreadableDocument("app.example.com"), 503),
    "busy": (TooManyRequests("Wait a little.", 7), 429),
    "request": (InvalidRequest("The parameter state is too long."), 400),
}


async def page(request: Request) -> Response:
    if "fault" in request.query_params:
        raise FAULTS[request.query_params["fault"]][0]
    return redirect(request, "https://app.example/cb?code=x")


@pytest.fixture
def browser() -> TestClient:
    routes = [Route("/", shows_pages(Pages(), page), methods=["GET", "POST"])]
    return TestClient(Starlette(routes=routes), follow_redirects=False)


@pytest.mark.parametrize("name", FAULTS)
def test_a_refusal_is_a_page_that_is_not_kept_and_leads_nowhere(browser: TestClient, name: str) -> None:
    shown = browser.get("/", params={"fault": name})

    assert shown.status_code == FAULTS[name][1]
    assert shown.headers["content-type"].startswith("text/html")
    assert shown.headers["cache-control"] == "no-store"
    assert "location" not in shown.headers
    assert "quoted" not in shown.text
    assert shown.headers.get("retry-after") == {503: "1", 429: "7"}.get(shown.status_code)


BACK = {
    "client": "/connect",
    "twice": "/account",
    "store": "/?fault=store",
    "document": "/?fault=document",
    "unread": "/?fault=unread",
    "busy": "/?fault=busy",
}
"""Where each leads that does not lead to the start page."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_refusal_leads_back_into_this_site_and_to_itself_where_that_can_help(browser: TestClient, name: str) -> None:
    shown = browser.get("/", params={"fault": name})

    assert HtmlPage(shown.text).links == [BACK.get(name, "/")]


def test_a_form_that_was_refused_is_not_sent_again_by_the_way_back(browser: TestClient) -> None:
    assert HtmlPage(browser.post("/?fault=store").text).links == ["/"]


@pytest.mark.parametrize(
    ("path", "back"), [("//evil.example/", "/"), ("/account/keys", "/account"), ("/oauth/device", "/oauth/device")]
)
def test_the_way_back_is_by_the_path_and_never_another_site(path: str, back: str) -> None:
    request = HTTPConnection({"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": []})
    visit = HTTPConnection({**request.scope, "method": "GET"})

    assert way_back(request, 503)[0] == back
    assert way_back(visit, 503)[0] == path.replace("//", "/%2F")


@pytest.mark.security("CO-14")
def test_a_forged_link_and_an_old_one_look_the_same(browser: TestClient) -> None:
    assert browser.get("/?fault=forged").text == browser.get("/?fault=stale").text


def test_an_app_that_describes_itself_wrongly_is_named_with_the_rule_and_who_can_mend_it(browser: TestClient) -> None:
    text = browser.get("/?fault=broken").text

    assert "app.example.com" in text
    assert "The value of client_name is too long." in text
    assert "make or run the app" in text
    assert "not registered" not in text


def test_an_apps_description_that_cannot_be_read_is_not_this_servers_silence(browser: TestClient) -> None:
    unread, ours = browser.get("/?fault=unread").text, browser.get("/?fault=document").text

    assert "app.example.com" in unread
    assert "description cannot be read" in unread
    assert "The server cannot answer" in ours
    assert "The server cannot answer" not in unread


@pytest.mark.security("AZ-22")
@pytest.mark.parametrize(("method", "status"), [("GET", 302), ("POST", 303)])
def test_a_redirect_is_followed_by_get_kept_nowhere_and_tells_no_address(
    browser: TestClient, method: str, status: int
) -> None:
    response = browser.request(method, "/")

    assert (response.status_code, response.headers["location"]) == (status, "https://app.example/cb?code=x")
    assert (response.headers["cache-control"], response.headers["referrer-policy"]) == ("no-store", "no-referrer")

"""Devices over HTTP, with the real stores, flows and sessions: what a device is told, and what a person sees."""

import re
from collections.abc import AsyncIterator
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.applications import Starlette

from oauth.endpoints.device import PAGE_PATH, START_PATH, DeviceEndpoints
from oauth.endpoints.pages import Pages
from oauth.endpoints.signed_in import SignedIn
from oauth.errors import InvalidClient
from oauth.flows.device import PER_ACCOUNT, STARTS_PER_ADDRESS, STDIO_CLIENT_ID, Devices, new_user_code
from oauth.flows.external_sign_in import ReturnUrls
from oauth.grants import Client, Device
from oauth.models import User
from oauth.primitives.parameters import Parameters
from oauth.primitives.scopes import IN_WORDS
from oauth.primitives.secrets import digest
from oauth.stores.devices import DeviceStore
from oauth.stores.sessions import FailureStore, SessionStore
from tests.oauth.clients import UNRECORDED
from tests.oauth.delegations import session_of
from tests.oauth.device_parts import SEALER, SETTINGS, SITE, Issuer, the_client

OWN = {"origin": SITE}


async def authenticate(_header: str | None, parameters: Parameters, now: datetime, _place: str) -> Client:
    if parameters.require("client_id") != STDIO_CLIENT_ID:
        raise InvalidClient("There is no such client.")
    return the_client(now)


class Browser:
    """A person's browser: its cookie, and the forms that it fills in."""

    def __init__(self, app: Starlette, http: httpx2.AsyncClient, devices: DeviceStore) -> None:
        self.app, self.http, self._devices = app, http, devices

    async def start(self, **values: str) -> dict[str, str]:
        answer = await self.http.post(START_PATH, data={"client_id": STDIO_CLIENT_ID, **values})
        assert answer.status_code == 200
        told: dict[str, str] = answer.json()
        return told

    async def open(self, code: str) -> httpx2.Response:
        return await self.http.get(PAGE_PATH, params={"user_code": code})

    async def send(self, fields: dict[str, str], headers: dict[str, str] = OWN) -> httpx2.Response:
        return await self.http.post(PAGE_PATH, data=fields, headers=headers)

    async def device(self, told: dict[str, str]) -> Device:
        device = await self._devices.find_device(digest(told["device_code"]))
        assert device is not None
        return device


def fields_of(page: httpx2.Response) -> dict[str, str]:
    """What the form of the page sends when nothing in it is changed."""
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page.text))
    ticked = re.findall(r'<input type="checkbox" name="([^"]+)" value="on" checked>', page.text)
    return hidden | dict.fromkeys(ticked, "on")


@pytest.fixture
async def stranger(engine: AsyncEngine, now: datetime) -> AsyncIterator[Browser]:
    """A browser in which nobody is signed in."""
    devices = DeviceStore(engine)
    signed_in = SignedIn(SessionStore(engine), ReturnUrls(SEALER), SETTINGS, UNRECORDED)
    flow = Devices(devices, FailureStore(engine), Issuer(), SEALER, SETTINGS)
    app = Starlette(routes=DeviceEndpoints(flow, authenticate, signed_in, Pages(), SETTINGS, lambda: now).routes)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as http:
        yield Browser(app, http, devices)


@pytest.fixture
async def browser(stranger: Browser, engine: AsyncEngine, ada: User, now: datetime) -> Browser:
    """A browser in which Ada is signed in."""
    secret = await session_of(SessionStore(engine), ada, now)
    stranger.http.headers["cookie"] = f"__Host-session={secret}"
    return stranger


async def test_a_device_is_told_where_and_with_which_code(stranger: Browser) -> None:
    told = await stranger.start(resource=f"{SITE}/api/v1", scope="sparks:read")

    assert re.fullmatch("[B-Z]{4}-[B-Z]{4}", told["user_code"])
    assert told["verification_uri"] == f"{SITE}/oauth/device"
    assert told["verification_uri_complete"] == f"{SITE}/oauth/device?user_code={told['user_code']}"
    assert told | {"expires_in": 600, "interval": 5} == told
    assert (await stranger.device(told)).resource == f"{SITE}/api/v1"


@pytest.mark.security("RL-04")
async def test_the_addresses_of_one_site_count_as_one_for_devices_that_begin(stranger: Browser) -> None:
    async def start(address: str) -> int:
        transport = httpx2.ASGITransport(stranger.app, client=(address, 1))
        async with httpx2.AsyncClient(transport=transport, base_url=SITE) as http:
            return (await http.post(START_PATH, data={"client_id": STDIO_CLIENT_ID})).status_code

    answers = [await start(f"2001:db8::{number:x}") for number in range(STARTS_PER_ADDRESS + 1)]

    assert answers == [200] * STARTS_PER_ADDRESS + [429]
    assert await start("2001:db8:0:1::1") == 200


@pytest.mark.parametrize(
    ("typed", "back"),
    [("bcdfghjk", f"{PAGE_PATH}?user_code=BCDF-GHJK"), ("//evil.example/?", PAGE_PATH), (None, PAGE_PATH)],
)
async def test_who_is_not_signed_in_signs_in_and_comes_back(
    stranger: Browser, now: datetime, typed: str | None, back: str
) -> None:
    answer = await stranger.http.get(PAGE_PATH, params={} if typed is None else {"user_code": typed})

    way = urlsplit(answer.headers["location"])
    assert (answer.status_code, way.path) == (303, "/oauth/login")
    assert ReturnUrls(SEALER).open(parse_qs(way.query)["continue"][0], now).path == back


async def test_a_link_with_the_code_decides_nothing_and_shows_what_is_to_be_decided(browser: Browser) -> None:
    told = await browser.start(scope="sparks:read")

    page = await browser.http.get(told["verification_uri_complete"])

    assert page.status_code == 200
    assert (await browser.device(told)).status == "pending"
    for shown in (told["user_code"], "Minds on the command line", IN_WORDS["sparks:read"], "ada@example.com"):
        assert shown in page.text
    assert "Only if you started this yourself" in page.text
    assert IN_WORDS["sparks:chat"] not in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(("path", "is_said"), [("mcp", False), ("api/v1", True)])
async def test_the_page_says_when_a_device_asks_for_the_api(browser: Browser, path: str, is_said: bool) -> None:
    told = await browser.start(scope="sparks:read", resource=f"{SITE}/{path}")

    page = await browser.http.get(told["verification_uri_complete"])

    assert ("the programming interface (API)" in page.text) is is_said


async def test_who_allows_lets_the_device_in_for_their_account(browser: Browser, ada: User) -> None:
    told = await browser.start()
    form = fields_of(await browser.open(told["user_code"].lower()))

    done = await browser.send(form | {"decision": "approve"})

    device = await browser.device(told)
    assert done.status_code == 200
    assert (device.status, device.user_id, device.scopes) == ("approved", ada.id, SETTINGS.scopes)


async def test_who_unticks_everything_is_asked_again_with_the_boxes_as_they_were(browser: Browser) -> None:
    told = await browser.start()
    form = {name: value for name, value in fields_of(await browser.open(told["user_code"])).items() if " " not in name}

    answer = await browser.send(form | {"decision": "approve"})

    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert fields_of(answer) == form
    assert (await browser.device(told)).status == "pending"
    await browser.send(fields_of(answer) | {"allow sparks:read": "on", "decision": "approve"})
    assert (await browser.device(told)).scopes == {"sparks:read"}


async def test_who_refuses_keeps_the_device_out(browser: Browser) -> None:
    told = await browser.start()
    form = fields_of(await browser.open(told["user_code"]))

    done = await browser.send(form | {"decision": "deny"})
    again = await browser.send(form | {"decision": "approve"})

    assert (done.status_code, again.status_code) == (200, 400)
    assert (await browser.device(told)).status == "denied"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", None])
async def test_a_form_of_another_site_decides_nothing(browser: Browser, origin: str | None) -> None:
    told = await browser.start()
    form = fields_of(await browser.open(told["user_code"]))

    refused = await browser.send(form | {"decision": "approve"}, {} if origin is None else {"origin": origin})

    assert refused.status_code == 403
    assert (await browser.device(told)).status == "pending"


async def test_the_form_of_one_device_does_not_let_another_in(browser: Browser) -> None:
    mine, theirs = await browser.start(), await browser.start()
    form = fields_of(await browser.open(mine["user_code"]))

    refused = await browser.send(form | {"decision": "approve", "user_code": theirs["user_code"]})

    assert refused.status_code == 403
    assert (await browser.device(theirs)).status == "pending"


async def test_a_wrong_code_is_said_kindly_and_a_series_of_them_is_stopped(browser: Browser) -> None:
    told = await browser.start()
    wrong = [await browser.open(new_user_code()) for _ in range(PER_ACCOUNT)]

    stopped = await browser.open(told["user_code"])

    assert {page.status_code for page in wrong} == {400}
    assert all('name="user_code"' in page.text for page in wrong)
    assert stopped.status_code == 429
    assert "Minds on the command line" not in stopped.text

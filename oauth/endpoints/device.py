"""Devices over HTTP: where one begins (RFC 8628 section 3.1), and the page where a person lets it in (section 3.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import answer, authorization, client_address, form, post, query
from oauth.endpoints.pages import ACCOUNT, Pages, shows_pages
from oauth.endpoints.signed_in import SignedIn, SignedInBrowser
from oauth.errors import InvalidRequest, Refused
from oauth.flows.client_authentication import Authenticate
from oauth.flows.consent import monogram
from oauth.flows.device import Devices, read_user_code, shown_user_code
from oauth.grants import Device
from oauth.primitives import csrf
from oauth.primitives.address_limit import network_key
from oauth.primitives.display_names import shown_name
from oauth.primitives.scopes import grouped
from oauth.settings import OAuthSettings

START_PATH, PAGE_PATH = "/oauth/device_authorization", "/oauth/device"
ALLOW = "allow "
"""Each scope that is ticked comes as a field of its own, because a repeated parameter is refused."""
NOTHING_LEFT = "Tick at least one of these, or refuse."


@dataclass(frozen=True, slots=True)
class DeviceEndpoints:
    """The endpoint that a device begins at, and the page for people.

    Whoever arrives at the page by a link that holds the code is asked all the same (section 5.4).
    """

    devices: Devices
    authenticate: Authenticate
    signed_in: SignedIn
    pages: Pages
    settings: OAuthSettings
    now: Callable[[], datetime]

    @property
    def routes(self) -> list[Route]:
        return [
            post(START_PATH, self._start),
            Route(PAGE_PATH, shows_pages(self.pages, self._show), methods=["GET"]),
            Route(PAGE_PATH, shows_pages(self.pages, self._decide), methods=["POST"]),
        ]

    async def _start(self, request: Request) -> Response:
        now, parameters = self.now(), await form(request)
        client = await self.authenticate(authorization(request), parameters, now, client_address(request))
        await self.devices.admit_start(_network(request), now)
        started = await self.devices.start(client, parameters, now)
        code, page = shown_user_code(started.user_code), f"{self.settings.site_url}{PAGE_PATH}"
        return answer(
            {
                "device_code": started.device_code,
                "user_code": code,
                "verification_uri": page,
                "verification_uri_complete": f"{page}?user_code={code}",
                "expires_in": started.expires_in,
                "interval": started.interval,
            }
        )

    async def _show(self, request: Request) -> Response:
        now, typed = self.now(), query(request).get("user_code")
        found = await self.signed_in.of(request, now)
        if found is None:
            return self._to_login(typed, now)
        if typed is None:
            return self._ask_code(found)
        try:
            code, device = await self.devices.find(typed, found.user.id, _network(request), now)
        except Refused as refused:
            return self._ask_code(found, str(refused))
        return self._ask(code, device, found)

    async def _decide(self, request: Request) -> Response:
        now, parameters = self.now(), await form(request)
        code, decision = parameters.require("user_code"), parameters.require("decision")
        if decision not in {"approve", "deny"}:
            raise InvalidRequest("The decision is to approve or to deny.")
        found = await self.signed_in.of(request, now)
        if found is None:
            return self._to_login(code, now)
        self.signed_in.check_form(request, parameters, found.secret, _purpose(code))
        _, device = await self.devices.find(code, found.user.id, _network(request), now)
        if decision == "deny":
            await self.devices.decide(device, user_id=None, scopes=frozenset(), now=now)
            return self.pages.problem("Refused", "The device was not let in.", 200, back=ACCOUNT, viewer=found.shown)
        allowed = frozenset(name.removeprefix(ALLOW) for name in parameters if name.startswith(ALLOW))
        if not allowed & device.scopes:
            return self._ask(code, device, found, NOTHING_LEFT)
        await self.devices.decide(device, user_id=found.user.id, scopes=allowed, now=now)
        done = "The device is signed in. Go back to it; this page can be closed."
        return self.pages.problem("Done", done, 200, back=ACCOUNT, viewer=found.shown)

    def _ask(self, code: str, device: Device, found: SignedInBrowser, error: str | None = None) -> Response:
        return self.pages.render(
            "device.html",
            200 if error is None else 400,
            path=PAGE_PATH,
            client_name=shown_name(device.client_name),
            monogram=monogram(shown_name(device.client_name)),
            is_doubtful=device.imitates,
            user_code=code,
            viewer=found.shown,
            choices=grouped(device.scopes),
            ticked=device.scopes if error is None else (),
            field=ALLOW,
            is_api=device.resource == self.settings.api_resource,
            csrf=csrf.token(found.secret, _purpose(code)),
            error=error,
        )

    def _ask_code(self, found: SignedInBrowser, error: str | None = None) -> Response:
        status, viewer = 200 if error is None else 400, found.shown
        return self.pages.render("device.html", status, viewer=viewer, path=PAGE_PATH, client_name=None, error=error)

    def _to_login(self, typed: str | None, now: datetime) -> Response:
        code = None if typed is None else read_user_code(typed)
        query_string = "" if code is None else f"?user_code={shown_user_code(code)}"
        return self.signed_in.to_login(PAGE_PATH + query_string, now)


def _network(request: Request) -> str:
    return network_key(client_address(request))


def _purpose(code: str) -> str:
    """A form's proof holds for the code that the person saw and for no other."""
    return f"device {code}"

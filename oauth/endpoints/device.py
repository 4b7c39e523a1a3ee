"""Devices over HTTP: where one begins (RFC 8628 section 3.1), and the page where a person lets it in (section 3.3)."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import answer, client_address, form, query, speaks_json
from oauth.endpoints.pages import Pages
from oauth.errors import InvalidRequest, ProtocolError, Refused, StoreUnavailable
from oauth.flows import user_codes
from oauth.flows.device import Devices
from oauth.flows.device_approval import Approvals
from oauth.flows.user_codes import shown
from oauth.grants import Client, Device, Session
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.client_network_key import network_key
from oauth.primitives.clock import utc_now
from oauth.primitives.display_names import shown_name
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings

START_PATH, PAGE_PATH = "/oauth/device_authorization", "/oauth/device"
ALLOW = "allow "
"""Each scope that is ticked comes as a field of its own, because a repeated parameter is refused."""
NOTHING_LEFT = "Tick at least one of these, or refuse."

Authenticate = Callable[[str | None, Parameters, datetime, str], Awaitable[Client]]
"""The client of a request, by its Authorization header and parameters; raises `InvalidClient`."""


class Browser(Protocol):
    """The signed-in browser, as `endpoints.signed_in` knows it."""

    async def of(self, request: Request, now: datetime) -> tuple[Session, User, str] | None:
        """Session, account and the session's secret."""

    def to_login(self, request_path_and_query: str, now: datetime) -> Response:
        """The way to the sign-in page and back."""

    async def shown(self, user: User) -> str:
        """How a page names the account."""

    def check_form(self, request: Request, parameters: Parameters, secret: str, purpose: str) -> None:
        """Raises `AccessDenied` for a form that is not our own."""


class DeviceAuthorization:
    """The endpoint that a device begins at."""

    def __init__(
        self,
        devices: Devices,
        approvals: Approvals,
        authenticate: Authenticate,
        settings: OAuthSettings,
        *,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._devices, self._approvals, self._authenticate = devices, approvals, authenticate
        self._page, self._now = f"{settings.site_url}{PAGE_PATH}", now

    @property
    def routes(self) -> list[Route]:
        return [Route(START_PATH, speaks_json(self._start), methods=["POST"])]

    async def _start(self, request: Request) -> Response:
        now, parameters = self._now(), await form(request)
        given = request.headers.get("authorization")
        client = await self._authenticate(given, parameters, now, _place(request))
        await self._approvals.admit_start(_place(request), now)
        started = await self._devices.start(client, parameters, now)
        code = shown(started.user_code)
        return answer(
            {
                "device_code": started.device_code,
                "user_code": code,
                "verification_uri": self._page,
                "verification_uri_complete": f"{self._page}?user_code={code}",
                "expires_in": started.expires_in,
                "interval": started.interval,
            }
        )


class DevicePage:
    """The page for people. Whoever arrives by a link that holds the code is asked all the same (section 5.4)."""

    def __init__(
        self,
        approvals: Approvals,
        browser: Browser,
        pages: Pages,
        words: Mapping[str, str],
        *,
        api_resource: str,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """`words` says for each scope what it allows; a device that asks for `api_resource` asks for the API."""
        self._approvals, self._browser, self._pages = approvals, browser, pages
        self._words, self._api_resource, self._now = words, api_resource, now

    @property
    def routes(self) -> list[Route]:
        return [
            Route(PAGE_PATH, self._for_people(self._show), methods=["GET"]),
            Route(PAGE_PATH, self._for_people(self._decide), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        now, typed = self._now(), query(request).get("user_code")
        found = await self._browser.of(request, now)
        if found is None:
            return self._to_login(typed, now)
        _, user, secret = found
        if typed is None:
            return self._ask_code()
        try:
            code, device = await self._approvals.find(typed, user.id, _place(request), now)
        except Refused as refused:
            return self._ask_code(str(refused))
        return self._ask(code, device, await self._browser.shown(user), secret)

    async def _decide(self, request: Request) -> Response:
        now, parameters = self._now(), await form(request)
        code, decision = parameters.require("user_code"), parameters.require("decision")
        if decision not in {"approve", "deny"}:
            raise InvalidRequest("The decision is to approve or to deny.")
        found = await self._browser.of(request, now)
        if found is None:
            return self._to_login(code, now)
        _, user, secret = found
        self._browser.check_form(request, parameters, secret, _purpose(code))
        _, device = await self._approvals.find(code, user.id, _place(request), now)
        if decision == "deny":
            await self._approvals.decide(device, user_id=None, scopes=frozenset(), now=now)
            return self._pages.problem("Refused", "The device was not let in.", 200)
        allowed = frozenset(name.removeprefix(ALLOW) for name in parameters.as_mapping() if name.startswith(ALLOW))
        if not allowed & device.scopes:
            return self._ask(code, device, await self._browser.shown(user), secret, NOTHING_LEFT)
        await self._approvals.decide(device, user_id=user.id, scopes=allowed, now=now)
        done = "The device is signed in. Go back to it; this page can be closed."
        return self._pages.problem("Done", done, 200)

    def _ask(self, code: str, device: Device, account: str, secret: str, error: str | None = None) -> Response:
        return self._pages.render(
            "device.html",
            200 if error is None else 400,
            path=PAGE_PATH,
            client_name=shown_name(device.client_name),
            is_doubtful=device.imitates,
            user_code=code,
            account=account,
            scopes=[(scope, self._words[scope]) for scope in self._words if scope in device.scopes],
            is_api=device.resource == self._api_resource,
            csrf=csrf.token(secret, _purpose(code)),
            error=error,
        )

    def _ask_code(self, error: str | None = None) -> Response:
        status = 200 if error is None else 400
        return self._pages.render("device.html", status, path=PAGE_PATH, client_name=None, error=error)

    def _to_login(self, typed: str | None, now: datetime) -> Response:
        code = None if typed is None else user_codes.read(typed)
        return self._browser.to_login(PAGE_PATH if code is None else f"{PAGE_PATH}?user_code={shown(code)}", now)

    def _for_people(
        self, handler: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """`handler`, with its refusals as pages."""

        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except ProtocolError as error:
                return self._pages.problem("This did not work", str(error), error.status)
            except Refused as error:
                return self._pages.problem("This did not work", str(error))
            except StoreUnavailable:
                return self._pages.problem("Not now", "The server cannot answer at the moment; try again.", 503)

        return guarded


def _place(request: Request) -> str:
    return network_key(client_address(request))


def _purpose(code: str) -> str:
    """A form's proof holds for the code that the person saw and for no other."""
    return f"device {code}"

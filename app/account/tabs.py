"""The tabs of the account page: each is a page of its own, with the forms on it."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints import http
from oauth.endpoints.login import LOGOUT, LOGOUT_PATH
from oauth.endpoints.pages import SCRIPT_PATH, shows_pages
from oauth.endpoints.signed_in import see_other
from oauth.errors import ApiUnavailable, OauthError, Refused, TooManyRequests
from oauth.factory import OAuth
from oauth.flows.consent import ConnectedApps
from oauth.grants import Session
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters

PATH = "/account"
PURPOSE = "account"
MAX_QUERY = 2_000  # characters that are kept over a sign-in: it must fit into a cookie


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who is signed in; `sent` is the query of the address, or the form."""

    request: Request
    sent: Parameters
    session: Session
    user: User
    secret: str
    shown: str

    @property
    def is_form(self) -> bool:
        return self.request.method == "POST"


Action = Callable[[Visit], Awaitable[Response]]


class Tab(ABC):
    """One tab. `values` has what its template shows; a form that is refused shows it again with the reason."""

    path: ClassVar[str]
    template: ClassVar[str]
    script: ClassVar[str] = SCRIPT_PATH

    def __init__(self, oauth: OAuth, now: Callable[[], datetime] = utc_now) -> None:
        self.oauth, self.stores, self.activity, self.now = oauth, oauth.stores, oauth.activity, now

    @property
    def apps(self) -> ConnectedApps:
        return ConnectedApps(self.stores)

    @property
    def forms(self) -> dict[str, Action]:
        """What is done with a form that is posted to each path below `/account`."""
        return {}

    @abstractmethod
    async def values(self, visit: Visit) -> dict[str, Any]:
        """What the template shows besides that which all tabs do."""

    @property
    def routes(self) -> list[Route]:
        routes = [Route(PATH + path, self._posted(action), methods=["POST"]) for path, action in self.forms.items()]
        return [Route(self.path, shows_pages(self.oauth.pages, self._show), methods=["GET"]), *routes]

    def back(self) -> Response:
        """To the tab, after a form was done."""
        return see_other(self.path)

    async def page(self, visit: Visit, refusal: OauthError | None = None, notice: str | None = None) -> Response:
        """The tab, with why a form was refused, or with what has been done."""
        status = 200 if refusal is None else getattr(refusal, "status", 400)
        headers = {"retry-after": str(refusal.retry_after)} if isinstance(refusal, TooManyRequests) else {}
        return self.oauth.pages.render(
            self.template,
            status,
            headers=headers,
            is_scripted=True,
            script=self.script,
            tab=self.path,
            path=PATH,
            logout=LOGOUT_PATH,
            csrf_field=csrf.FIELD,
            csrf_token=csrf.token(visit.secret, PURPOSE),
            logout_token=csrf.token(visit.secret, LOGOUT),
            viewer=visit.shown,
            has_password=visit.user.password_hash is not None,
            problem=str(refusal) if refusal else None,
            refused=visit.request.url.path if visit.is_form else None,
            notice=notice,
            **await self.values(visit),
        )

    async def _show(self, request: Request) -> Response:
        sent = http.query(request)
        found = await self.oauth.signed_in.of(request, self.now())
        if found is None:
            query = f"?{urlencode(sent)}" if sent else ""
            return self.oauth.signed_in.to_login(self.path + query * (len(query) <= MAX_QUERY), self.now())
        visit = Visit(request, sent, *found)
        try:
            return await self.page(visit)
        except Refused as refusal:  # of what the address asks for: the tab without that, and why
            return await self.page(replace(visit, sent=Parameters([])), refusal)

    def _posted(self, action: Action) -> http.Handler:
        async def posted(request: Request) -> Response:
            sent = await http.form(request)
            visit = Visit(request, sent, *await self.oauth.signed_in.sender(request, sent, PURPOSE, self.now()))
            try:
                return await action(visit)
            except (Refused, TooManyRequests, ApiUnavailable) as refusal:
                return await self.page(visit, refusal)

        return shows_pages(self.oauth.pages, posted)

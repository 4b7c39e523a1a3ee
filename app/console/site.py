"""What all pages of the console share: who is signed in, forms that are really theirs, refusals shown in place."""

import secrets as randomness
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import SecretStr
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import CallRefused, TellProgress, ToolCalls
from app.console.wording import in_words
from app.http.body import read_body, replaying
from mcp_server.protocol.envelope import BodyTooLarge
from oauth.endpoints.pages import BUSY, START
from oauth.endpoints.signed_in import LOGIN_PATH, see_other
from oauth.errors import AccessDenied, OauthError, StoreUnavailable
from oauth.factory import OAuth
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters

PURPOSE = "console"
STATUS = {
    "PERMISSION_DENIED": 403,
    "not_found": 404,
    "RATE_LIMIT_EXCEEDED": 429,
    "INTERNAL_ERROR": 500,
    "SERVICE_UNAVAILABLE": 503,
    "CIRCUIT_BREAKER_OPEN": 503,
    "TIMEOUT": 504,
}
MOST_FIELDS = 1_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page, and may call tools from it. `csrf` goes into each form as the field `csrf`."""

    user: User
    csrf: str
    calls: ToolCalls
    linked_key: SecretStr | None = None

    async def call(
        self, tool: str, *, tell: TellProgress | None = None, charged: bool = True, **arguments: Any
    ) -> dict[str, Any]:
        """As `ToolCalls.call`, with refusals in words for people."""
        same: dict[str, Any] = {"linked_key": self.linked_key, "tell": tell, "charged": charged}
        try:
            return await self.calls.call(self.user.id, tool, arguments, **same)
        except CallRefused as refused:
            raise in_words(refused) from None


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as it was sent. `once` is new for each page that was shown."""

    data: FormData

    def text(self, name: str) -> str:
        """The field, without blanks around it; empty where it was not sent."""
        value = self.data.get(name)
        return value.strip() if isinstance(value, str) else ""

    def texts(self, name: str) -> list[str]:
        """Each value of a field that may come several times."""
        return [value.strip() for value in self.data.getlist(name) if isinstance(value, str) and value.strip()]

    def file(self, name: str) -> UploadFile | None:
        """The uploaded file, if one was chosen."""
        value = self.data.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None


class SignedOut(AccessDenied):
    """The session has ended meanwhile."""


Show = Callable[[Request, Visitor], Awaitable[Response]]
ShowAnybody = Callable[[Request, Visitor | None], Awaitable[Response]]
Act = Callable[[Request, Visitor, Sent], Awaitable[Response]]


class Console:
    """Makes routes of functions that show and act for a signed-in person.

    The pages have no deadline of their own as those of the sign-in have: each tool that they call has one.
    """

    def __init__(self, oauth: OAuth, calls: ToolCalls, *, max_body: int, now: Callable[[], datetime] = utc_now) -> None:
        self.oauth, self.calls, self.now = oauth, calls, now
        self._pages, self._signed_in, self._max_body = oauth.pages, oauth.signed_in, max_body

    def page(self, path: str, show: Show) -> Route:
        """GET `path`. Who is not signed in goes to the sign-in page, and comes back."""

        async def shown(request: Request) -> Response:
            visitor = await self._visitor(request)
            if visitor is None:
                asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                return self._signed_in.to_login(asked, self.now())
            return await show(request, visitor)

        return Route(path, self._guarded(shown), methods=["GET"])

    def open_page(self, path: str, show: ShowAnybody) -> Route:
        """GET `path`, also for who is not signed in."""

        async def shown(request: Request) -> Response:
            return await show(request, await self._visitor(request))

        return Route(path, self._guarded(shown), methods=["GET"])

    def form(self, path: str, act: Act) -> Route:
        """POST `path`, with the token of this session in the field `csrf`."""

        async def posted(request: Request) -> Response:
            visitor = await self._visitor(request)
            if visitor is None:
                raise SignedOut("You are not signed in any more. Sign in and do it again.")
            body = await read_body(request.receive, self._max_body)
            whole = Request(request.scope, replaying(body, request.receive))
            async with whole.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=self._max_body) as data:
                token = data.get(csrf.FIELD)
                shown = Parameters([(csrf.FIELD, token)] if isinstance(token, str) else [])
                self._signed_in.check_form(request, shown, self._secret(request), PURPOSE)
                return await act(request, visitor, Sent(data))

        return Route(path, self._guarded(posted), methods=["POST"])

    def render(
        self, template: str, visitor: Visitor | None, refused: CallRefused | None = None, /, **values: Any
    ) -> Response:
        """The page; with `refused`, what was wrong stands on it as `problem`, beside what was filled in."""
        status = 200 if refused is None else STATUS.get(refused.code, 400)
        common: Mapping[str, Any] = {
            "csrf_field": csrf.FIELD,
            "csrf_token": "" if visitor is None else visitor.csrf,
            "once": randomness.token_hex(8),
            "problem": None if refused is None else refused.message,
        }
        return self._pages.render(template, status, is_scripted=True, **common, **values)

    async def _visitor(self, request: Request) -> Visitor | None:
        now = self.now()
        found = await self._signed_in.of(request, now)
        if found is None:
            return None
        _session, user, secret = found
        key = await self.oauth.links.key_of(user.id, now)
        return Visitor(user, csrf.token(secret, PURPOSE), self.calls, key)

    def _secret(self, request: Request) -> str:
        return self._signed_in.cookies.get(request, "session") or ""

    def _guarded(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except CallRefused as refused:
                title = "There is no such thing" if refused.code == "not_found" else "This did not work"
                return self._pages.problem(title, refused.message, STATUS.get(refused.code, 400))
            except StoreUnavailable:
                return self._pages.problem("Try again", BUSY, 503)
            except BodyTooLarge:
                text = f"More than {self._max_body // 1_000_000} MB cannot be sent at once. Go back and send less."
                return self._pages.problem("That is too large", text, 413)
            except OauthError as error:
                back = (LOGIN_PATH, "Sign in") if isinstance(error, SignedOut) else START
                return self._pages.problem("This did not work", str(error), 403, back=back)

        return guarded


def back_to(path: str) -> Response:
    """After a form: on to `path` by GET, so that loading the page again sends nothing twice."""
    return see_other(path)

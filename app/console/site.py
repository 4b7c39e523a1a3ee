"""What all pages of the console share: who is signed in, forms that are really theirs, refusals shown in place."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.console.calls import CallRefused, ToolCalls, content_of
from app.console.live import Streams
from app.console.wording import in_words
from app.http.body import read_body, replaying
from mcp_server.errors import GatewayError
from mcp_server.protocol.envelope import BodyTooLarge
from oauth.endpoints.pages import REFUSALS, way_back
from oauth.errors import SignedOut
from oauth.factory import OAuth
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters

PURPOSE = "console"
STATUS = {each.name: each.http_status for each in GatewayError.__subclasses__()} | {"not_found": 404}
MOST_FIELDS = 1_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page, and may call tools from it."""

    user: User
    shown: str
    secret: str
    calls: ToolCalls

    async def call(
        self, tool: str, *, charged: bool = True, patience: float | None = None, **arguments: Any
    ) -> dict[str, Any]:
        """The structured content, with refusals in words for people."""
        try:
            same: dict[str, Any] = {"charged": charged, "patience": patience}
            return content_of(await self.calls.call(self.user.id, tool, arguments, **same))
        except CallRefused as refused:
            raise in_words(refused) from None


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as it was sent."""

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


Show = Callable[[Request, Visitor], Awaitable[Response]]
ShowAnybody = Callable[[Request, Visitor | None], Awaitable[Response]]
Act = Callable[[Request, Visitor, Sent], Awaitable[Response]]
See = Callable[[], Awaitable[tuple[dict[str, Any], str]]]


class Console:
    """Makes routes of functions that show and act for a signed-in person.

    The pages have no deadline of their own as those of the sign-in have: each tool that they call has one.
    """

    def __init__(
        self, oauth: OAuth, calls: ToolCalls, streams: Streams, *, max_body: int, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.oauth, self.calls, self.now, self._streams = oauth, calls, now, streams
        self._pages, self._signed_in, self._max_body = oauth.pages, oauth.signed_in, max_body

    def page(self, path: str, show: Show) -> Route:
        """GET `path`. Who is not signed in goes to the sign-in page, and comes back."""

        async def shown(request: Request, visitor: Visitor | None) -> Response:
            if visitor is None:
                asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                return self._signed_in.to_login(asked, self.now())
            return await show(request, visitor)

        return self.open_page(path, shown)

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
                raise SignedOut
            body = await read_body(request.receive, self._max_body)
            whole = Request(request.scope, replaying(body, request.receive))
            async with whole.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=self._max_body) as data:
                token = data.get(csrf.FIELD)
                shown = Parameters([(csrf.FIELD, token)] if isinstance(token, str) else [])
                self._signed_in.check_form(request, shown, visitor.secret, PURPOSE)
                return await act(request, visitor, Sent(data))

        return Route(path, self._guarded(posted), methods=["POST"])

    def render(
        self, template: str, visitor: Visitor | None, refused: CallRefused | None = None, /, **values: Any
    ) -> Response:
        """The page; with `refused`, what was wrong stands on it as `problem`, beside what was filled in."""
        status = 200 if refused is None else STATUS.get(refused.code, 400)
        common: Mapping[str, Any] = {
            "csrf_field": csrf.FIELD,
            "csrf_token": "" if visitor is None else csrf.token(visitor.secret, PURPOSE),
            "problem": None if refused is None else refused.message,
            "viewer": None if visitor is None else visitor.shown,
        }
        return self._pages.render(template, status, is_scripted=True, **common, **values)

    def live(self, visitor: Visitor, see: See, template: str) -> Response:
        """A part of a page, whenever it has changed: `see` gives its values, and how the stream ends."""

        async def look() -> tuple[str, str]:
            values, end = await see()
            return bytes(self.render(template, visitor, **values).body).decode(), end

        return self._streams.response(visitor.user.id, look)

    async def _visitor(self, request: Request) -> Visitor | None:
        found = await self._signed_in.of(request, self.now())
        if found is None:
            return None
        return Visitor(found.user, found.shown, found.secret, self.calls)

    def _guarded(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except CallRefused as refused:
                title = "There is no such thing" if refused.code == "not_found" else "This did not work"
                text, status = refused.message, STATUS.get(refused.code, 400)
            except BodyTooLarge:
                text = f"More than {self._max_body // 1_000_000} MB cannot be sent at once. Go back and send less."
                title, status = "That is too large", 413
            except REFUSALS as error:
                return self._pages.refusal(request, error)
            back, viewer = way_back(request, status), getattr(request.state, "viewer", None)
            return self._pages.problem(title, text, status, back=back, viewer=viewer)

        return guarded

"""The page on which a person adds and removes passkeys."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import form
from oauth.endpoints.login import login_address
from oauth.endpoints.pages import PASSKEY_SCRIPT_PATH, Pages, shows_pages
from oauth.endpoints.signed_in import SignedIn, SignedInBrowser, see_other
from oauth.errors import AccessDenied, Refused, Unknown
from oauth.flows.passkeys import MAX_NAME_LENGTH, Passkeys
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters

PATH = "/account/passkeys"
PURPOSE = "passkeys"
RECENT = timedelta(minutes=10)
"""After a sign-in: later a browser that was left open would be where somebody else adds a passkey of theirs."""

Act = Callable[[SignedInBrowser, Parameters], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class PasskeyPages:
    """GET and POST /account/passkeys, POST /account/passkeys/remove."""

    pages: Pages
    signed_in: SignedIn
    passkeys: Passkeys
    now: Callable[[], datetime] = utc_now

    @property
    def routes(self) -> list[Route]:
        return [
            Route(PATH, shows_pages(self.pages, self._show), methods=["GET"]),
            self._form(PATH, self._add),
            self._form(f"{PATH}/remove", self._remove),
        ]

    def _form(self, path: str, act: Act) -> Route:
        async def posted(request: Request) -> Response:
            sent = await form(request)
            found = await self.signed_in.sender(request, sent, PURPOSE, self.now())
            _require_password(found)
            try:
                await act(found, sent)
            except (Refused, AccessDenied) as refusal:
                return await self._page(found, str(refusal), sent.get("name") or "")
            return see_other(PATH)

        return Route(path, shows_pages(self.pages, posted), methods=["POST"])

    async def _show(self, request: Request) -> Response:
        found = await self.signed_in.of(request, self.now())
        if found is None:
            return self.signed_in.to_login(PATH, self.now())
        _require_password(found)
        return await self._page(found)

    async def _add(self, found: SignedInBrowser, sent: Parameters) -> None:
        await self.passkeys.create(found.user, sent, found.secret, self.now())

    async def _remove(self, found: SignedInBrowser, sent: Parameters) -> None:
        await self.passkeys.remove(found.user, sent.require("id"))

    async def _page(self, found: SignedInBrowser, problem: str | None = None, name: str = "") -> Response:
        (session, user, secret, viewer), now = found, self.now()
        can_add = self.passkeys.is_offered and now - session.signed_in_at < RECENT
        return self.pages.render(
            "passkeys.html",
            200 if problem is None else 400,
            is_scripted=self.passkeys.is_offered,
            script=PASSKEY_SCRIPT_PATH,
            viewer=viewer,
            path=PATH,
            csrf=csrf.token(secret, PURPOSE),
            held=await self.passkeys.store.list_passkeys(user.id),
            is_offered=self.passkeys.is_offered,
            # Its ticket is of now, so whoever comes back with it has proven who they are a moment ago.
            ceremony=await self.passkeys.begin_creation(user, secret, now) if can_add else None,
            again=login_address(self.signed_in.returning.seal(PATH, now)),
            name=name,
            longest=MAX_NAME_LENGTH,
            problem=problem,
        )


def _require_password(found: SignedInBrowser) -> None:
    if found.user.password_hash is None:
        raise Unknown("You sign in with an account of somebody else: add a passkey to that one.")

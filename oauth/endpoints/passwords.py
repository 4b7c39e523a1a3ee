"""The pages on which a password is set: with the present one, by a link, and the page that has a link mailed."""

import secrets as randomness
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import client_address, form, query
from oauth.endpoints.pages import Pages, shows_pages
from oauth.endpoints.signed_in import LOGIN, LOGIN_PATH, SECRET_BYTES, SignedIn
from oauth.errors import AccessDenied, Refused, TooManyRequests, Unacceptable
from oauth.flows.accounts import PasswordSignIn
from oauth.flows.external_sign_in import MAX_AGE
from oauth.flows.passwords import LINK_PATH, PasswordLinks, set_password
from oauth.primitives import csrf
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters
from oauth.primitives.passwords import MIN_LENGTH
from oauth.primitives.sealing import Tampered

ASK_PATH, CHANGE_PATH = "/oauth/password", "/account/password"
PURPOSE = "password"
DEAD = "It is good for 30 minutes, and for one new password. Ask for another link."
SENT = "If an account has that address, a link is on its way to it. It works for 30 minutes."
CHANGED = "Your other browsers are signed out. Connected apps and API keys go on working; your account page ends them."


@dataclass(frozen=True, slots=True)
class PasswordPages:
    """Each answers GET with its form and POST with what came of it."""

    pages: Pages
    signed_in: SignedIn
    password: PasswordSignIn
    links: PasswordLinks
    now: Callable[[], datetime] = utc_now

    @property
    def routes(self) -> list[Route]:
        handlers = {CHANGE_PATH: self._change, LINK_PATH: self._use_link}
        if self.links.mail is not None:
            handlers[ASK_PATH] = self._ask
        return [
            Route(path, shows_pages(self.pages, handler), methods=["GET", "POST"]) for path, handler in handlers.items()
        ]

    async def _change(self, request: Request) -> Response:
        found = await self.signed_in.of(request, self.now())
        if found is None:
            return self.signed_in.to_login(CHANGE_PATH, self.now())
        session, user, secret = found

        async def change(sent: Parameters) -> None:
            new = _new_password(sent)
            try:  # counted with the sign-ins: a browser that was left open must not be where a password is guessed
                await self.password.sign_in(user.email, sent.get("present") or "", client_address(request), self.now())
            except AccessDenied:
                raise Unacceptable("The present password is wrong.") from None
            await set_password(self.links.users, user, new, keep=session.digest)
            self.signed_in.note(user, "password_changed")

        page = {"asks": ("present", "new"), "account": user.email, "token": "", "on": "/account"}
        return await self._answer(request, await _sent(request), secret, change, CHANGED, **page)

    async def _use_link(self, request: Request) -> Response:
        sent = await _sent(request)
        token = sent.get("token") or ""
        try:
            user = await self.links.owner(token, self.now())
        except Tampered:
            return self.pages.problem("This link does not work", DEAD)

        async def use(sent: Parameters) -> None:
            await set_password(self.links.users, user, _new_password(sent))
            self.signed_in.note(user, "password_changed")

        page = {"asks": ("new",), "account": user.email, "token": token, "on": LOGIN_PATH}
        return await self._answer(request, sent, self._secret(request), use, CHANGED, **page)

    async def _ask(self, request: Request) -> Response:
        async def ask(sent: Parameters) -> None:
            user = await self.links.send(sent.get("email") or "", client_address(request), self.now())
            if user is not None:
                self.signed_in.note(user, "password_link_made")

        page = {"asks": ("email",), "token": "", "on": LOGIN_PATH}
        return await self._answer(request, await _sent(request), self._secret(request), ask, SENT, **page)

    def _secret(self, request: Request) -> str:
        return self.signed_in.cookies.get(request, LOGIN) or randomness.token_urlsafe(SECRET_BYTES)

    async def _answer(
        self,
        request: Request,
        sent: Parameters,
        secret: str,
        act: Callable[[Parameters], Awaitable[None]],
        done: str,
        **page: Any,
    ) -> Response:
        """The form; or, when it was sent and nothing is wrong with it, that it is `done`."""
        problem, status, headers = None, 200, {}
        if request.method == "POST":
            self.signed_in.check_form(request, sent, secret, PURPOSE)
            try:
                await act(sent)
            except Refused as refusal:
                problem, status = str(refusal), 400
            except TooManyRequests as refusal:
                problem, status, headers = str(refusal), refusal.status, {"retry-after": str(refusal.retry_after)}
            else:
                return self.pages.render("password.html", done=done, **page)
        values = {
            "path": request.url.path,
            "csrf": csrf.token(secret, PURPOSE),
            "least": MIN_LENGTH,
            "problem": problem,
        }
        shown = self.pages.render("password.html", status, headers=headers, done=None, **values, **page)
        if "present" not in page["asks"]:  # a session has a secret already
            self.signed_in.cookies.set(shown, LOGIN, secret, MAX_AGE)
        return shown


async def _sent(request: Request) -> Parameters:
    return await form(request) if request.method == "POST" else query(request)


def _new_password(sent: Parameters) -> str:
    new = sent.get("new") or ""
    if new != sent.get("again"):
        raise Unacceptable("The two new passwords differ.")
    return new

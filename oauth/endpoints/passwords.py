"""The pages on which a password is set: with the present one, by a link, and the page that has a link mailed."""

import secrets as randomness
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import client_address, form, query
from oauth.endpoints.pages import Pages, shows_pages
from oauth.endpoints.signed_in import LOGIN, LOGIN_PATH, SECRET_BYTES, SignedIn
from oauth.errors import Refused, TooManyRequests, Unacceptable, Unknown
from oauth.flows.accounts import PasswordSignIn
from oauth.flows.external_sign_in import MAX_AGE
from oauth.flows.passwords import LINK_PATH, PasswordLinks, set_password
from oauth.models import User
from oauth.primitives import csrf
from oauth.primitives.parameters import Parameters
from oauth.primitives.passwords import MIN_LENGTH
from oauth.primitives.sealing import Tampered

ASK_PATH, CHANGE_PATH = "/oauth/password", "/account/password"
PURPOSE = "password"
DEAD = "It is good for 30 minutes, and for one new password. Ask for another link."
SENT = "If an account has that address, a link is on its way to it. It works for 30 minutes."
CHANGED = (
    "Your other browsers are signed out. Connected apps, API keys and passkeys go on working;"
    " your account page ends them."
)

Act = Callable[[Parameters], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class PasswordPages:
    pages: Pages
    signed_in: SignedIn
    password: PasswordSignIn
    links: PasswordLinks
    now: Callable[[], datetime]

    @property
    def routes(self) -> list[Route]:
        handlers = {CHANGE_PATH: self._change, LINK_PATH: self._use_link}
        if self.links.mail is not None:
            handlers[ASK_PATH] = self._ask
        return [Route(path, shows_pages(self.pages, each), methods=["GET", "POST"]) for path, each in handlers.items()]

    async def _change(self, request: Request) -> Response:
        found = await self.signed_in.of(request, self.now())
        if found is None:
            return self.signed_in.to_login(CHANGE_PATH, self.now())
        session, user, secret, viewer = found
        if user.password_hash is None:
            raise Unknown("You sign in with an account of somebody else: change its password there.")

        async def change(sent: Parameters) -> None:
            present, address = sent.get("present") or "", client_address(request)
            proven = await self.password.confirm(user, present, address, self.now())
            await self._set(proven, sent, keep=session.digest)

        page = {"asks": ("present", "new"), "account": user.email, "on": "/account", "viewer": viewer}
        return await self._answer(request, await _sent(request), change, page, secret)

    async def _use_link(self, request: Request) -> Response:
        sent = await _sent(request)
        token = sent.get("token") or ""
        try:
            user = await self.links.owner(token, self.now())
        except Tampered:
            back = (LOGIN_PATH, "Sign in") if self.links.mail is None else (ASK_PATH, "Ask for another link")
            return self.pages.problem("This link does not work", DEAD, back=back)

        page = {"asks": ("new",), "account": user.email, "token": token}
        return await self._answer(request, sent, partial(self._set, user), page)

    async def _ask(self, request: Request) -> Response:
        async def ask(sent: Parameters) -> None:
            user = await self.links.send(sent.get("email") or "", client_address(request), self.now())
            if user is not None:
                self.signed_in.note(user, "password_link_made")

        return await self._answer(request, await _sent(request), ask, {"asks": ("email",), "done": SENT})

    async def _set(self, user: User, sent: Parameters, keep: str | None = None) -> None:
        new = sent.get("new") or ""
        if new != sent.get("again"):
            raise Unacceptable("The two new passwords differ.")
        await set_password(self.links.users, user, new, keep=keep)
        self.signed_in.note(user, "password_changed")

    async def _answer(
        self, request: Request, sent: Parameters, act: Act, page: Mapping[str, Any], session_secret: str = ""
    ) -> Response:
        """The form of `page`; or, when it was sent and nothing is wrong with it, that it is done."""
        kept = session_secret or self.signed_in.cookies.get(request, LOGIN)
        secret = kept or randomness.token_urlsafe(SECRET_BYTES)
        values: dict[str, Any] = {
            "on": LOGIN_PATH,
            "done": CHANGED,
            "token": "",
            "problem": None,
            "least": MIN_LENGTH,
            **page,
        }
        values |= {"path": request.url.path, "csrf": csrf.token(secret, PURPOSE), "is_done": False}
        status, headers = 200, {}
        if request.method == "POST":
            self.signed_in.check_form(request, sent, secret, PURPOSE)
            try:
                await act(sent)
                values["is_done"] = True
            except Refused as refusal:
                values["problem"], status = str(refusal), 400
            except TooManyRequests as refusal:
                values["problem"], status, headers = str(refusal), 429, {"retry-after": str(refusal.retry_after)}
        response = self.pages.render("password.html", status, headers=headers, **values)
        if kept is None:
            self.signed_in.cookies.set(response, LOGIN, secret, MAX_AGE)
        return response


async def _sent(request: Request) -> Parameters:
    return await form(request) if request.method == "POST" else query(request)

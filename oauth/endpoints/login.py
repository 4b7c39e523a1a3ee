"""The sign-in page, the ways from it to identity providers, and signing out."""

import secrets as randomness
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.asking import Asking
from oauth.endpoints.http import client_address, form, query
from oauth.endpoints.pages import PASSKEY_SCRIPT_PATH, Pages, shows_pages
from oauth.endpoints.signed_in import LOGIN, LOGIN_PATH, SECRET_BYTES, SignedIn, see_other
from oauth.errors import AccessDenied, TooManyRequests, Unknown
from oauth.flows.accounts import PasswordSignIn
from oauth.flows.external_sign_in import MAX_AGE, ExternalSignIn
from oauth.flows.passkeys import Passkeys
from oauth.models import Passkey, User
from oauth.primitives import csrf
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings

LOGOUT_PATH = "/oauth/logout"
LOGOUT = "logout"
"""The purpose of the form that signs out: `csrf.token(secret, LOGOUT)`."""
SIGN_IN = (LOGIN_PATH, "Sign in")
NO_WAY = "No way of signing in is set up on this server. Ask whoever runs it to set one up."
STALE_FORM = "This page was open for too long, or your browser keeps no cookies. Please sign in again."


@dataclass(frozen=True, slots=True)
class Login:
    """GET and POST /oauth/login, GET /oauth/login/PROVIDER, POST /oauth/logout."""

    pages: Pages
    signed_in: SignedIn
    password: PasswordSignIn
    passkeys: Passkeys
    external: ExternalSignIn
    settings: OAuthSettings
    asking: Asking
    now: Callable[[], datetime]
    forgot: str | None = None

    @property
    def routes(self) -> list[Route]:
        return [
            Route(LOGIN_PATH, shows_pages(self.pages, self._show), methods=["GET"]),
            Route(LOGIN_PATH, shows_pages(self.pages, self._sign_in), methods=["POST"]),
            Route(f"{LOGIN_PATH}/{{provider}}", shows_pages(self.pages, self._begin), methods=["GET"]),
            Route(LOGOUT_PATH, shows_pages(self.pages, self._sign_out), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        providers = self.external.providers
        if not self.settings.embedded_sign_in and not providers:
            return self.pages.problem("Nobody can sign in", NO_WAY, 503)
        if not self.settings.embedded_sign_in and len(providers) == 1:
            return await self._begin(request)
        return await self._page(request, query(request))

    async def _begin(self, request: Request) -> Response:
        """Leave for the provider that the path names, or else for the only one."""
        slug, now = request.path_params.get("provider") or self.external.providers[0].slug, self.now()
        try:
            back = self.signed_in.returning.open(query(request).get("continue"), now)
            started = await self.external.begin(slug, back, now)
        except Unknown as refusal:
            return self.pages.problem("There is no such page", str(refusal), 404, back=SIGN_IN)
        response = see_other(started.address)
        self.signed_in.cookies.keep_ticket(request, response, started)
        return response

    async def _sign_in(self, request: Request) -> Response:
        if not self.settings.embedded_sign_in:
            raise AccessDenied("Signing in with a password is switched off on this server. Sign in another way.")
        parameters, secret = await form(request), self.signed_in.cookies.get(request, LOGIN) or ""
        try:
            # Login CSRF: without this another site could sign a visitor in, to an account of its own.
            self.signed_in.check_form(request, parameters, secret, LOGIN)
        except AccessDenied:
            return await self._page(request, parameters, STALE_FORM, 403)
        now = self.now()
        try:
            user, passkey = await self._proven(parameters, secret, client_address(request), now)
        except AccessDenied as refusal:
            self.signed_in.refused()
            return await self._page(request, parameters, str(refusal), 403)
        except TooManyRequests as refusal:
            page = await self._page(request, parameters, str(refusal), refusal.status)
            page.headers["retry-after"] = str(refusal.retry_after)
            return page
        going_on = self.signed_in.returning.open(parameters.get("continue"), now)
        return await self.signed_in.enter(request, user, going_on.path, now, passkey)

    async def _proven(self, sent: Parameters, secret: str, address: str, now: datetime) -> tuple[User, Passkey | None]:
        """Who sent the form of a passkey, or that of a password."""
        if "ticket" in sent and self.passkeys.is_offered:
            return await self.passkeys.sign_in(sent, secret, address, now)
        return await self.password.sign_in(sent.get("email") or "", sent.get("password") or "", address, now), None

    async def _sign_out(self, request: Request) -> Response:
        parameters = await form(request)
        found = await self.signed_in.of(request, self.now())
        if found is not None:
            self.signed_in.check_form(request, parameters, found.secret, LOGOUT)
            self.signed_in.note(found.user, "signed_out")
        response = self.pages.problem("You are signed out", "You may close this page.", 200, back=SIGN_IN)
        await self.signed_in.leave(request, response)
        return response

    async def _page(
        self, request: Request, parameters: Parameters, problem: str | None = None, status: int = 200
    ) -> Response:
        # One secret for all tabs of the browser: each page that is open stays good.
        secret = self.signed_in.cookies.get(request, LOGIN) or randomness.token_urlsafe(SECRET_BYTES)
        going_on, has_passkeys, now = parameters.get("continue"), self.passkeys.is_offered, self.now()
        page = self.pages.render(
            "login.html",
            status,
            is_scripted=has_passkeys,
            script=PASSKEY_SCRIPT_PATH,
            passkey=self.passkeys.begin_sign_in(secret, now) if has_passkeys else None,
            action=LOGIN_PATH,
            csrf=csrf.token(secret, LOGIN),
            app=await self.asking(self.signed_in.returning.open(going_on, now).path, now),
            going_on=going_on,
            email=parameters.get("email") or "",
            embedded=self.settings.embedded_sign_in,
            forgot=self.forgot,
            providers=[
                {"label": provider.label, "address": login_address(going_on, provider.slug)}
                for provider in self.external.providers
            ],
            problem=problem,
        )
        self.signed_in.cookies.set(page, LOGIN, secret, MAX_AGE)
        return page


def login_address(going_on: str | None, slug: str | None = None) -> str:
    """The sign-in page, or the way to one provider, that leads on to the sealed `going_on`."""
    path = LOGIN_PATH if slug is None else f"{LOGIN_PATH}/{slug}"
    return path if going_on is None else f"{path}?continue={quote(going_on, safe='')}"

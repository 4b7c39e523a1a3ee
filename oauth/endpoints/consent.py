"""The authorization endpoint (RFC 6749 section 3.1) and the consent page that it leads to.

The page says who asks, for what, and where the answer goes, and takes what the person says to it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth import errors
from oauth.endpoints import http
from oauth.endpoints.asking import CONSENT_PATH, AskingApp, consent_path, handle_in
from oauth.endpoints.pages import Pages, redirect, shows_pages
from oauth.endpoints.signed_in import LOGIN_PATH, SignedIn, SignedInBrowser, see_other
from oauth.flows.authorization import Authorization, SentBack, address
from oauth.flows.consent import Consents
from oauth.grants import AuthorizationRequest, Client, Session
from oauth.models import User
from oauth.primitives import csrf, scopes
from oauth.primitives.display_names import shown_name
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Tampered
from oauth.settings import OAuthSettings

AUTHORIZE_PATH = "/oauth/authorize"
ASKS_AGAIN = frozenset({"consent", "select_account"})
FIELD = "scope:"
"""Each scope that is ticked comes as a field of its own, because a repeated parameter is refused."""
NOTHING_LEFT = "Tick at least one of these, or cancel."
SIGNED_IN_ANEW = "This page was made before your last sign-in. Check it, and answer once more."
UNDECIDED = "Nothing is allowed yet. Press Allow or Cancel."


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to the page: what is asked, by whom, and who is there to answer."""

    request: Request
    handle: str
    asked: AuthorizationRequest
    client: Client
    now: datetime

    @property
    def purpose(self) -> str:
        """What the form's token is for: this request alone, so that no other tab's form answers it."""
        return f"consent {self.asked.id}"


@dataclass(frozen=True, slots=True)
class ConsentPage:
    """GET and POST /oauth/authorize and /oauth/consent.

    The first without CORS: no script has any business there (RFC 9700 section 2.6).
    """

    authorization: Authorization
    consents: Consents
    asking: AskingApp
    signed_in: SignedIn
    pages: Pages
    settings: OAuthSettings
    now: Callable[[], datetime]

    @property
    def routes(self) -> list[Route]:
        return [
            Route(AUTHORIZE_PATH, shows_pages(self.pages, self._authorize), methods=["GET", "POST"]),
            Route(CONSENT_PATH, shows_pages(self.pages, self._show), methods=["GET"]),
            Route(CONSENT_PATH, shows_pages(self.pages, self._answer), methods=["POST"]),
        ]

    async def refused_address(self, path: str, error: errors.ProtocolError, now: datetime) -> str | None:
        """Where the client that waits behind `path` hears of `error`; None where none waits, or no longer.

        A person's no is final, so it uses the request up. After any other error they may try again.
        """
        handle = handle_in(path)
        if handle is None:
            return None
        try:
            asked, _ = await self.authorization.resume(handle, now)
            if isinstance(error, errors.AccessDenied):
                await self.consents.refuse(asked, now)
        except (Tampered, errors.InvalidClient, errors.InvalidRequest, errors.TemporarilyUnavailable, errors.Conflict):
            return None
        return self._address(asked, **error.parameters)

    async def _authorize(self, request: Request) -> Response:
        parameters = await http.form(request) if request.method == "POST" else http.query(request)
        try:
            handle = await self.authorization.begin(parameters, self.now(), http.client_address(request))
        except SentBack as refused:
            return redirect(request, refused.address)
        return redirect(request, consent_path(handle))

    async def _show(self, request: Request) -> Response:
        visit = await self._visit(request, http.query(request))
        found = await self.signed_in.of(request, visit.now)
        if found is None or _must_sign_in_again(visit.asked, found[0]):
            if "none" in visit.asked.prompt:
                return self._refusal(visit, errors.LoginRequired("Nobody is signed in."))
            fresh = bool(visit.asked.prompt & {"login", "select_account"})
            return self.signed_in.to_login(consent_path(visit.handle), visit.now, fresh=fresh)
        user = found.user
        may_be_remembered = not visit.asked.prompt & ASKS_AGAIN
        if may_be_remembered and await self.consents.is_remembered(visit.asked, visit.client, user.id, visit.now):
            return await self._allowed(visit, user, visit.asked.scopes)
        if "none" in visit.asked.prompt:
            return self._refusal(visit, errors.ConsentRequired("The person must be asked."))
        return await self._page(visit, found)

    async def _answer(self, request: Request) -> Response:
        parameters = await http.form(request)
        visit = await self._visit(request, parameters)
        found = await self.signed_in.of(request, visit.now)
        if found is None or _must_sign_in_again(visit.asked, found[0]):
            raise errors.AccessDenied("You are not signed in any more. Go back to the app and start again there.")
        try:
            self.signed_in.check_form(request, parameters, found.secret, visit.purpose)
        except errors.AccessDenied:
            # Signing in in another tab ends the session that this form was made in, which is nobody's fault. Whoever
            # sent the form, it counts for nothing: what follows is the question itself, put to who is signed in now.
            return await self._page(visit, found, SIGNED_IN_ANEW, 403)
        return await self._answered(visit, found, parameters)

    async def _answered(self, visit: Visit, found: SignedInBrowser, parameters: Parameters) -> Response:
        answer, user = parameters.get("answer"), found.user
        chosen = frozenset(scope for scope in visit.asked.scopes if parameters.get(FIELD + scope) is not None)
        if answer == "again":
            # What browsers press when somebody presses Enter on a box: no answer, and least of all a yes.
            return await self._page(visit, found, UNDECIDED, ticked=chosen)
        if answer == "allow":
            if not chosen:
                return await self._page(visit, found, NOTHING_LEFT, 400, chosen)
            return await self._allowed(visit, user, chosen)
        if answer == "cancel":
            await self.consents.refuse(visit.asked, visit.now)
            self.signed_in.note(user, "app_refused", visit.client.id, shown_name(visit.client.name))
            return self._refusal(visit, errors.AccessDenied("The person did not allow it."))
        if answer == "leave":
            # The wrong person is signed out, and the request waits for the right one to sign in.
            response = self.signed_in.to_login(consent_path(visit.handle), visit.now, fresh=True)
            await self.signed_in.leave(visit.request, response)
            return response
        raise errors.InvalidRequest("The form holds no answer.")

    async def _visit(self, request: Request, parameters: Parameters) -> Visit:
        now, handle = self.now(), parameters.require("request")
        asked, client = await self.authorization.resume(handle, now)
        await self.consents.require_open(asked)
        return Visit(request, handle, asked, client, now)

    async def _allowed(self, visit: Visit, user: User, chosen: frozenset[str]) -> Response:
        code = await self.consents.allow(visit.asked, visit.client, user.id, chosen, visit.now)
        self.signed_in.note(user, "app_allowed", visit.client.id, shown_name(visit.client.name))
        return redirect(visit.request, self._address(visit.asked, code=code))

    def _refusal(self, visit: Visit, error: errors.ProtocolError) -> Response:
        return redirect(visit.request, self._address(visit.asked, **error.parameters))

    def _address(self, asked: AuthorizationRequest, **answer: str) -> str:
        return address(asked.redirect_uri, asked.state, self.settings.issuer, **answer)

    async def _page(
        self,
        visit: Visit,
        found: SignedInBrowser,
        notice: str | None = None,
        status: int = 200,
        ticked: frozenset[str] | None = None,
    ) -> Response:
        """The page; what is asked for beyond what the app has is ticked unless `ticked` says which."""
        boxes = visit.asked.scopes if ticked is None else ticked
        held = await self.consents.held(visit.asked, found.user.id, visit.now)
        return self.pages.render(
            "consent.html",
            status,
            app=await self.asking.shown(visit.handle, visit.asked, visit.client, visit.now),
            viewer=found.shown,
            held=scopes.grouped(held),
            choices=scopes.grouped(visit.asked.scopes - held),
            ticked=boxes,
            field=FIELD,
            is_api=visit.asked.resource == self.settings.api_resource,
            notice=notice,
            action=CONSENT_PATH,
            handle=visit.handle,
            csrf_field=csrf.FIELD,
            csrf_token=csrf.token(found.secret, visit.purpose),
        )


def _must_sign_in_again(asked: AuthorizationRequest, session: Session) -> bool:
    """OpenID Connect Core section 3.1.2.1: `login` wants a proof that is newer than the request."""
    return "login" in asked.prompt and session.signed_in_at < asked.issued_at


def short_routes() -> list[Route]:
    """GET /login and GET /consent, with their parameters."""
    return [
        Route(short, partial(_moved, full), methods=["GET"])
        for short, full in {"/login": LOGIN_PATH, "/consent": CONSENT_PATH}.items()
    ]


async def _moved(path: str, request: Request) -> Response:
    return see_other(f"{path}?{request.url.query}" if request.url.query else path)

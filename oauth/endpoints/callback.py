"""Where identity providers send browsers back to."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth import errors
from oauth.endpoints.http import Handler, query
from oauth.endpoints.login import login_address
from oauth.endpoints.pages import TEXTS, Pages
from oauth.endpoints.signed_in import SignedIn, see_other
from oauth.flows.external_sign_in import ExternalSignIn, PendingSignIn, key_of
from oauth.identity.provider import ProviderUnavailable, SignInDeclined, SignInRefused, SignInUnfinished
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings

CALLBACK_PATHS = {"oidc": "/oauth/callback", "supabase": "/oauth/callback/supabase"}
"""One for each provider, so that the address of an answer tells whose it is (RFC 9700 section 4.4.2.2)."""

log = logging.getLogger(__name__)

RefusedAddress = Callable[[str, errors.ProtocolError, datetime], Awaitable[str | None]]
"""Where the client that waits behind a return path hears of an error (RFC 6749 section 4.1.2.1); None: none waits."""


def redirect_uri(settings: OAuthSettings, slug: str) -> str:
    return settings.site_url + CALLBACK_PATHS[slug]


@dataclass(frozen=True, slots=True)
class Callback:
    """GET /oauth/callback, and one such address for each further provider."""

    pages: Pages
    signed_in: SignedIn
    external: ExternalSignIn
    refused_address: RefusedAddress
    now: Callable[[], datetime]

    @property
    def routes(self) -> list[Route]:
        slugs = (provider.slug for provider in self.external.providers)
        return [Route(CALLBACK_PATHS[slug], self._handler(slug), methods=["GET"]) for slug in slugs]

    def _handler(self, slug: str) -> Handler:
        async def handle(request: Request) -> Response:
            try:
                now, answer = self.now(), query(request)
                state = answer.get("state")
                key = key_of(state or "")
                pending = await self.external.resume(slug, state, self.signed_in.cookies.ticket(request, key), now)
                response = await self._finished(request, pending, answer, now)
            except (errors.InvalidRequest, errors.InvalidClient) as refusal:
                return self._failed("This request cannot be answered", str(refusal), 400)
            except errors.AccessDenied as refusal:
                return self._failed("Please sign in again", str(refusal), 403)
            except errors.StoreUnavailable:
                return self._failed("Try again", TEXTS["busy"], 503)
            self.signed_in.cookies.drop_ticket(request, response, key)
            return response

        return handle

    async def _finished(self, request: Request, pending: PendingSignIn, answer: Parameters, now: datetime) -> Response:
        try:
            user = await self.external.finish(pending, answer, now)
        except SignInDeclined as fault:
            # A no is final, what the provider could not ask may be tried again (RFC 6749 section 4.1.2.1).
            error: errors.ProtocolError = errors.AccessDenied("The sign-in was declined.")
            if isinstance(fault, SignInUnfinished):
                error = errors.LoginRequired("The identity provider signed nobody in; try again.")
            address = await self.refused_address(pending.going_on.path, error, now)
            if address is not None:
                return see_other(address)
            cancelled = "The sign-in was cancelled", "Nobody was signed in. Try again, or close this page."
            return self._failed(*cancelled, 403, again=self._again(pending, now))
        except SignInRefused as fault:
            log.warning("a sign-in with %s was refused: %s", pending.provider.slug, fault)
            self.signed_in.refused()
            return self._failed("The sign-in failed", TEXTS["failed"], 403, again=self._again(pending, now))
        except ProviderUnavailable as fault:
            log.warning("a sign-in with %s could not be finished: %s", pending.provider.slug, fault)
            error = errors.TemporarilyUnavailable("The identity provider does not answer.")
            back = await self.refused_address(pending.going_on.path, error, now)
            return self._failed("Try again", TEXTS["unreachable"], 503, again=self._again(pending, now), back=back)
        return await self.signed_in.enter(request, user, pending.going_on.path, now)

    def _again(self, pending: PendingSignIn, now: datetime) -> str:
        going_on = pending.going_on
        return login_address(self.signed_in.returning.seal(going_on.path, now, fresh=going_on.fresh))

    def _failed(
        self, title: str, text: str, status: int, *, again: str | None = None, back: str | None = None
    ) -> Response:
        """A page that says so, with a way on. Nothing that the provider wrote is on it."""
        return self.pages.render(
            "sign_in_failed.html", status, title=title, text=text, again=again or login_address(None), back=back
        )

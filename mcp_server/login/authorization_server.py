"""The authorization server as a device sees it: RFC 8414, 8628, 6749 section 6, and 7009.

What it answers is checked before it is used, and its sentences are shown to nobody: they are a stranger's.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import orjson
from pydantic import BaseModel, Field, SecretStr, ValidationError

from mcp_server.login.words import CLIENT_ID, LOGIN, Ended, Endpoints, SignInFailed, Tokens, Unreachable, may_carry

METADATA_PATH = "/.well-known/oauth-authorization-server"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
SECONDS = 20.0
MAX_BYTES = 65_536
SLOWER = 5.0  # seconds that each slow_down adds
LONGEST_PAUSE = 60.0
"""Seconds between two polls of a server that gives no answer: each failure doubles the wait up to this."""
FINAL = {"access_denied": "The sign-in was refused.", "expired_token": f"Nobody decided in time. Run `{LOGIN}` again."}
MARGIN = 300.0
"""Seconds before its expiry at which an access token is renewed: longer than any single request takes."""

NO_SIGN_IN = "{site} offers no sign-in for the command line. Set MINDSAI_API_KEY to an API key instead."
ODD = "{site} gave an answer that is none of an authorization server."


class Refusal(Exception):
    """Its text is the word of RFC 6749 section 5.2."""


class Waiting(BaseModel):
    """A device authorization response (RFC 8628 section 3.2). The times are seconds."""

    device_code: SecretStr
    user_code: str = Field(pattern=r"^[A-Za-z0-9-]{4,32}$")
    verification_uri: str
    verification_uri_complete: str | None = None
    expires_in: float = Field(gt=0, le=86_400)
    interval: float = Field(default=5, gt=0, le=600)


class _Issued(BaseModel):
    access_token: SecretStr = Field(min_length=1)
    token_type: str = Field(pattern="(?i)^bearer$")
    expires_in: float = Field(default=300, gt=0)
    refresh_token: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """One gateway's, at its origin `site`. The client is the caller's to close."""

    site: str
    http: httpx2.AsyncClient
    now: Callable[[], float] = field(default=time.time)

    @property
    def resource(self) -> str:
        """The API that the stdio server talks to (RFC 8707)."""
        return f"{self.site}/api/v1"

    async def discover(self) -> Endpoints:
        """Where its endpoints are. Raises SignInFailed: it has none for devices, or the metadata is another's."""
        status, body = await self._ask("GET", f"{self.site}{METADATA_PATH}")
        try:
            endpoints = Endpoints.model_validate(body if status == httpx2.codes.OK else None)
        except ValidationError:
            raise SignInFailed(NO_SIGN_IN.format(site=self.site)) from None
        if endpoints.issuer != self.site:  # RFC 8414 section 3.3: else one server could pass for another
            raise SignInFailed(
                f"The metadata at {self.site} names another issuer; use the address that it is known by."
            )
        named = [endpoints.token_endpoint, endpoints.device_authorization_endpoint, endpoints.revocation_endpoint]
        if not all(may_carry(url) for url in named if url is not None):
            raise SignInFailed(f"{self.site} names endpoints to which no token may be sent.")
        return endpoints

    async def begin(self, endpoints: Endpoints) -> Waiting:
        """Ask for a code. Raises SignInFailed: it was refused."""
        asked = {"client_id": CLIENT_ID, "resource": self.resource}
        status, body = await self._ask("POST", endpoints.device_authorization_endpoint, asked)
        if status != httpx2.codes.OK:
            raise SignInFailed(NO_SIGN_IN.format(site=self.site))
        try:
            waiting = Waiting.model_validate(body)
        except ValidationError:
            raise Unreachable(ODD.format(site=self.site)) from None
        for url in (waiting.verification_uri, waiting.verification_uri_complete):
            if url is not None and not (may_carry(url) and url.isascii() and url.isprintable()):
                raise SignInFailed(f"{self.site} names a page that is no address.")
        return waiting

    async def redeem(self, endpoints: Endpoints, device_code: SecretStr) -> Tokens:
        """Poll once. Raises Refusal: not yet, or never. Raises Unreachable: no answer."""
        code = device_code.get_secret_value()
        return await self._tokens(endpoints, {"grant_type": DEVICE_CODE, "device_code": code}, None)

    async def renew(self, tokens: Tokens) -> Tokens:
        """The successors of `tokens`. Raises Ended: the sign-in is over. Raises Unreachable: no answer about them."""
        shown = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token.get_secret_value()}
        try:
            return await self._tokens(tokens.endpoints, shown, tokens.refresh_token)
        except Refusal as refusal:
            if str(refusal) == "invalid_grant":
                raise Ended("The sign-in is over.") from None
            raise Unreachable(f"{self.site} does not renew the sign-in now.") from None

    async def revoke(self, tokens: Tokens) -> bool:
        """End the sign-in at the server (RFC 7009); whether it says that it has."""
        if tokens.endpoints.revocation_endpoint is None:
            return False
        token = tokens.refresh_token.get_secret_value()
        shown = {"token": token, "token_type_hint": "refresh_token", "client_id": CLIENT_ID}
        try:
            status, _ = await self._ask("POST", tokens.endpoints.revocation_endpoint, shown)
        except Unreachable:
            return False
        return status == httpx2.codes.OK

    async def _tokens(self, endpoints: Endpoints, grant: Mapping[str, str], held: SecretStr | None) -> Tokens:
        asked = {**grant, "client_id": CLIENT_ID, "resource": self.resource}
        before = self.now()
        status, body = await self._ask("POST", endpoints.token_endpoint, asked)
        if status != httpx2.codes.OK:
            error = body.get("error") if isinstance(body, Mapping) else None
            if isinstance(error, str) and httpx2.codes.is_client_error(status):
                raise Refusal(error)
            raise Unreachable(f"{self.site} gives no answer to a token request (HTTP {status}).")
        try:
            issued = _Issued.model_validate(body)
        except ValidationError:
            raise Unreachable(ODD.format(site=self.site)) from None
        refresh_token = issued.refresh_token or held  # RFC 6749 section 6: without a new one the old one goes on
        if refresh_token is None:
            raise SignInFailed(f"{self.site} gave no refresh token; a sign-in would end within the hour.")
        return Tokens(
            site=self.site,
            endpoints=endpoints,
            access_token=issued.access_token,
            refresh_token=refresh_token,
            renew_at=before + issued.expires_in - min(MARGIN, issued.expires_in / 4),
            expires_at=before + issued.expires_in,
        )

    async def _ask(self, method: str, url: str, form: Mapping[str, str] | None = None) -> tuple[int, Any]:
        try:
            async with self.http.stream(method, url, data=form, headers={"accept": "application/json"}) as response:
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise Unreachable(ODD.format(site=self.site))
            return response.status_code, orjson.loads(body)
        except orjson.JSONDecodeError:
            return response.status_code, None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError) as fault:
            raise Unreachable(f"{self.site} gives no answer ({type(fault).__name__}).") from None


def open_client() -> httpx2.AsyncClient:
    """A client that follows no redirect: one would carry a token to wherever it points."""
    return httpx2.AsyncClient(timeout=SECONDS, follow_redirects=False, trust_env=False)


async def wait_for_person(
    poll: Callable[[], Awaitable[Tokens]],
    waiting: Waiting,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Tokens:
    """Poll at the interval that the server asks for until the person has allowed it (RFC 8628 section 3.5).

    Raises `SignInFailed`: the person refused, nobody decided in time, or the server wants nothing of it.
    """
    interval, deadline = waiting.interval, clock() + waiting.expires_in
    pause = interval
    while clock() + pause < deadline:
        await sleep(pause)
        try:
            return await poll()
        except Unreachable:
            pause = min(2 * pause, max(LONGEST_PAUSE, interval))  # it may come back while the code is good
        except Refusal as refusal:
            error = str(refusal)
            if error not in {"authorization_pending", "slow_down"}:
                raise SignInFailed(FINAL.get(error, "The gateway ended the sign-in.")) from None
            interval += SLOWER if error == "slow_down" else 0
            pause = interval
    raise SignInFailed(FINAL["expired_token"])

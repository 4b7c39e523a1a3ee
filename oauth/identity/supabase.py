"""Signing in with Google through a Supabase project: its classic flow, which is not OpenID Connect.

There is no nonce, no client id and no state of ours in it: PKCE binds the answer to the browser, and our state
travels in the address that Supabase is asked to return to. That address, with any query, must be among the
project's redirect URLs (`https://gateway.example.com/oauth/callback/supabase**`).
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from authlib.common.urls import add_params_to_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from oauth.grants import Identity
from oauth.identity.id_tokens import RemoteKeys, header_of, verified
from oauth.identity.oidc import MAX_EMAIL, code_of
from oauth.identity.provider import Challenge, ProviderClient, SignInRefused, checked_subject
from oauth.primitives.parameters import Parameters
from oauth.settings import SupabaseSettings

AUDIENCE = "authenticated"
SHARED_KEY = "HS256"
"""Older projects sign with a key that they do not publish: their Auth server is asked instead."""


class SupabaseProvider:
    slug = "supabase"
    label = "Google"

    def __init__(self, settings: SupabaseSettings, redirect_uri: str, http: ProviderClient) -> None:
        self._settings, self._redirect_uri, self._http = settings, redirect_uri, http
        self._base = f"{settings.url.rstrip('/')}/auth/v1"
        self._keys = RemoteKeys(lambda _now: http.get(f"{self._base}/.well-known/jwks.json"))

    async def begin(self, challenge: Challenge, now: datetime, *, fresh: bool) -> str:  # noqa: ARG002 - a Provider
        back = add_params_to_uri(self._redirect_uri, [("state", challenge.state)])
        request = {
            "provider": "google",
            "redirect_to": back,
            "code_challenge": create_s256_code_challenge(challenge.verifier),
            "code_challenge_method": "s256",  # as Supabase spells it
        }
        if fresh:
            request["prompt"] = "login"
        return str(add_params_to_uri(f"{self._base}/authorize", list(request.items())))

    async def finish(self, answer: Parameters, challenge: Challenge, now: datetime) -> Identity:
        code = code_of(answer)
        tokens = await self._http.post(
            f"{self._base}/token?grant_type=pkce",
            {"auth_code": code, "code_verifier": challenge.verifier},
            self._headers(),
        )
        token = tokens.get("access_token")
        if not isinstance(token, str):
            raise SignInRefused("Supabase gave no access token")
        user = tokens.get("user")
        if header_of(token).get("alg") == SHARED_KEY:
            user = await self._asked(token)
            return self._identity(user.get("id"), user)
        claims = await verified(token, self._keys, issuer=self._base, audience=AUDIENCE, now=now)
        if claims.get("is_anonymous") is True:
            raise SignInRefused("Supabase signed nobody in")
        return self._identity(claims["sub"], user)

    async def _asked(self, token: str) -> Mapping[str, Any]:
        user = await self._http.get(f"{self._base}/user", self._headers() | {"authorization": f"Bearer {token}"})
        if user.get("aud") != AUDIENCE or user.get("is_anonymous") is True:
            raise SignInRefused("Supabase signed nobody in")
        return user

    def _identity(self, subject: object, user: object) -> Identity:
        checked = checked_subject(subject)
        record = user if isinstance(user, dict) and user.get("id") == checked else {}
        email = record.get("email")
        # Not `user_metadata.email_verified`: its owner can write that.
        proven = record.get("email_confirmed_at") and isinstance(email, str) and 0 < len(email) <= MAX_EMAIL
        return Identity(self._base, checked, email if proven else None)

    def _headers(self) -> dict[str, str]:
        return {"apikey": self._settings.key.get_secret_value()}

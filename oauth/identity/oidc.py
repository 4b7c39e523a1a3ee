"""Signing in with any OpenID Connect issuer: discovery, code flow, PKCE, nonce."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from authlib.common.urls import add_params_to_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from oauth.grants import Identity
from oauth.identity import provider
from oauth.identity.id_tokens import KEEP, RemoteKeys, verified
from oauth.primitives import secrets
from oauth.primitives.fetching import CachedFetch
from oauth.primitives.parameters import Parameters
from oauth.settings import OidcSettings

SCOPE = "openid email"
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
MAX_EMAIL = 254


class OidcProvider:
    """One issuer, which must name itself byte for byte as it is configured."""

    slug = "oidc"

    def __init__(self, settings: OidcSettings, redirect_uri: str, http: provider.ProviderClient) -> None:
        self._settings, self._redirect_uri, self._http = settings, redirect_uri, http
        self._address = settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
        self._documents: CachedFetch[Mapping[str, Any]] = CachedFetch(self._discover, stale=timedelta())
        self._keys = RemoteKeys(self._fetch_keys)

    @property
    def label(self) -> str:
        return self._settings.name

    async def begin(self, challenge: provider.Challenge, now: datetime, *, fresh: bool) -> str:
        """The issuer's authorization endpoint with this request (OpenID Connect Core section 3.1.2.1)."""
        document = await self._documents.get(self._address, now)
        request = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": SCOPE,
            "state": challenge.state,
            "nonce": challenge.nonce,
            "code_challenge": create_s256_code_challenge(challenge.verifier),
            "code_challenge_method": "S256",
        }
        if fresh:
            request["prompt"] = "login"
        return str(add_params_to_uri(document["authorization_endpoint"], list(request.items())))

    async def finish(self, answer: Parameters, challenge: provider.Challenge, now: datetime) -> Identity:
        document = await self._documents.get(self._address, now)
        self._check_sender(answer, document)
        code = code_of(answer)
        tokens = await self._http.exchange(
            document["token_endpoint"], self._registration(document), code=code, code_verifier=challenge.verifier
        )
        token = tokens.get("id_token")
        if not isinstance(token, str):
            raise provider.SignInRefused("the token endpoint gave no id_token")
        claims = await verified(
            token, self._keys, issuer=self._settings.issuer, audience=self._settings.client_id, now=now
        )
        self._check_party(claims)
        if not secrets.same(str(claims.get("nonce", "")), challenge.nonce):
            raise provider.SignInRefused("the id_token was made for another sign-in")
        return Identity(self._settings.issuer, provider.checked_subject(claims["sub"]), _verified_email(claims))

    def _check_sender(self, answer: Parameters, document: Mapping[str, Any]) -> None:
        """RFC 9207 section 2.4: first of all, so that not even an error of another issuer is believed."""
        named = answer.get("iss")
        if named is None and document.get("authorization_response_iss_parameter_supported") is not True:
            return
        if named != self._settings.issuer:
            raise provider.SignInRefused("the answer is of another issuer")

    def _check_party(self, claims: Mapping[str, Any]) -> None:
        """OpenID Connect Core section 3.1.3.7, steps 3 to 5: a token for several says for whom it was made."""
        shared = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if shared else self._settings.client_id) != self._settings.client_id:
            raise provider.SignInRefused("the id_token was made for another party")

    def _registration(self, document: Mapping[str, Any]) -> dict[str, Any]:
        secret = self._settings.client_secret
        client = {"client_id": self._settings.client_id, "redirect_uri": self._redirect_uri}
        if secret is None:
            return client | {"token_endpoint_auth_method": "none"}
        # By post where the issuer takes it: in the header, not all agree on how a secret is to be quoted.
        methods = document.get("token_endpoint_auth_methods_supported") or ()
        method = "client_secret_post" if "client_secret_post" in methods else "client_secret_basic"
        return client | {"client_secret": secret.get_secret_value(), "token_endpoint_auth_method": method}

    async def _discover(self, url: str, _now: datetime) -> tuple[Mapping[str, Any], timedelta]:
        """The discovery document (OpenID Connect Discovery section 4)."""
        document = await self._http.get(url)
        _check_document(document, self._settings.issuer)
        return document, KEEP

    async def _fetch_keys(self, now: datetime) -> Mapping[str, Any]:
        document = await self._documents.get(self._address, now)
        return await self._http.get(document["jwks_uri"])


UNFINISHED = frozenset({"login_required", "consent_required", "interaction_required", "account_selection_required"})


def code_of(answer: Parameters) -> str:
    """The code, unless it is an error answer (RFC 6749 section 4.1.2.1), whose text is the provider's and not read."""
    error = answer.get("error")
    if error in {"server_error", "temporarily_unavailable"}:
        raise provider.ProviderUnavailable("the identity provider says that it cannot serve")
    if error == "access_denied":
        raise provider.SignInDeclined("the sign-in was declined at the identity provider")
    if error in UNFINISHED:
        raise provider.SignInUnfinished("the identity provider could not ask what it had to")
    if error is not None:
        raise provider.SignInRefused("the identity provider answered with an error")
    code = answer.get("code")
    if code is None:
        raise provider.SignInRefused("the answer has no code")
    return code


def _check_document(document: Mapping[str, Any], issuer: str) -> None:
    if document.get("issuer") != issuer:
        raise provider.ProviderUnavailable("the discovery document names another issuer than the configured one")
    for name in ENDPOINTS:
        address = document.get(name)
        # An issuer on plain loopback may name plain addresses; an issuer over TLS may not lead out of it.
        if not isinstance(address, str) or urlsplit(address).scheme not in {"https", urlsplit(issuer).scheme}:
            raise provider.ProviderUnavailable(f"the discovery document has no usable {name}")


def _verified_email(claims: Mapping[str, Any]) -> str | None:
    """For pages to show: never to find an account by (OpenID Connect Core section 5.7). Some issuers send "true"."""
    email = claims.get("email")
    if claims.get("email_verified") not in (True, "true") or not isinstance(email, str):
        return None
    return email if 0 < len(email) <= MAX_EMAIL and email.isprintable() else None

"""What an identity provider does for a sign-in, how it can fail to, and the HTTP client that asks it.

The addresses are an operator's, or stand in a document of the issuer that an operator named. They are reached
as they are: an issuer on a private network is a usual thing. The client is bounded in time and size, follows no
redirect, and uses no proxy.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pkgutil import resolve_name
from typing import Any, Protocol

import httpx2

from oauth.errors import OauthError
from oauth.grants import Identity
from oauth.primitives.parameters import Parameters

MAX_SUBJECT = 255  # OpenID Connect Core section 2


class SignInRefused(OauthError):
    """What came back does not prove who this is. The message is ours and is for the log."""


class SignInDeclined(SignInRefused):
    """The person, or the provider on its own account, said no."""


class SignInUnfinished(SignInDeclined):
    """The provider wanted something of the person that it could not ask (OpenID Connect Core section 3.1.2.6)."""


class ProviderUnavailable(OauthError):
    """The provider gave no usable answer in time. The message is ours and is for the log."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The random parts of one sign-in, each of 256 bits: only the browser that began it holds them, sealed."""

    state: str = field(repr=False)
    verifier: str = field(repr=False)
    nonce: str = field(repr=False)


class Provider(Protocol):
    """One way of signing in with somebody else's account."""

    @property
    def slug(self) -> str:
        """Its name in addresses; each has a redirect URI of its own (RFC 9700 section 4.4.2.2)."""

    @property
    def label(self) -> str:
        """Its name on the button."""

    async def begin(self, challenge: Challenge, now: datetime, *, fresh: bool) -> str:
        """The address that the browser is sent to; `fresh` asks the provider to ask for the password again.

        Raises `ProviderUnavailable`: it is not to be reached.
        """

    async def finish(self, answer: Parameters, challenge: Challenge, now: datetime) -> Identity:
        """Who came back with this answer. Its `state` is known to be that of the challenge.

        Raises `SignInRefused`: it proves nothing; `ProviderUnavailable`: that could not be found out.
        """


def checked_subject(subject: object) -> str:
    """The subject of an identity. Raises `SignInRefused`: it is empty, too long, or no text."""
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise SignInRefused("the subject has no usable form")
    return subject


PATIENCE = 10.0  # seconds for an answer as a whole: a timeout of the client begins anew with each byte
MAX_BYTES = 262_144
PLAIN = {"accept": "application/json", "accept-encoding": "identity"}
"""Unpacked, a small body may be a huge one; so none is asked for packed, and none is taken."""

Transports = Callable[[], httpx2.AsyncBaseTransport]
"""A new transport each time: a client closes its own when it is left."""


def over_tls() -> Transports:
    """Transports that share one TLS context, which takes long to make.

    They use no proxy of the environment. An issuer may have a certificate of its own house: `SSL_CERT_FILE` is heard.
    """
    context = httpx2.create_ssl_context()
    return lambda: httpx2.AsyncHTTPTransport(verify=context, trust_env=False)


class ProviderClient:
    def __init__(self, transports: Transports, *, patience: float = PATIENCE) -> None:
        self._transports, self._patience = transports, patience

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        """The JSON object at `url`. Raises `ProviderUnavailable`: there is none, or not in time."""
        async with self._answering(), httpx2.AsyncClient(**self._options()) as client:
            return _object(await client.get(url, headers=headers))

    async def post(self, url: str, data: Mapping[str, str], headers: Mapping[str, str]) -> Mapping[str, Any]:
        """The JSON object that `url` answers to `data`, sent as JSON.

        Raises `SignInRefused`: it does not accept what was sent; `ProviderUnavailable`: it gave no usable answer, or
        not in time.
        """
        async with self._answering(), httpx2.AsyncClient(**self._options()) as client:
            response = await client.post(url, json=data, headers=headers)
            if response.is_client_error:
                raise SignInRefused(f"the token endpoint answered {response.status_code}")
            return _object(response)

    async def exchange(self, url: str, client: Mapping[str, Any], **grant: str) -> Mapping[str, Any]:
        """What the token endpoint answers to an authorization code, asked by `client` (as authlib takes it).

        Raises `SignInRefused`: it does not accept the code; `ProviderUnavailable`: it gave no usable answer, or not in
        time.
        """
        oauth = resolve_name("authlib.integrations.httpx_client")  # 2 MB, where there is such a provider
        async with self._answering(oauth.OAuthError), oauth.AsyncOAuth2Client(**client, **self._options()) as asking:
            tokens = await asking.fetch_token(url, grant_type="authorization_code", **grant)
        if not isinstance(tokens, dict):
            raise ProviderUnavailable("the token endpoint answered with no object")
        return tokens

    def _options(self) -> dict[str, Any]:
        return {
            "transport": _Capped(self._transports()),
            "trust_env": False,
            "follow_redirects": False,
            "timeout": self._patience,
            "headers": PLAIN,
        }

    @asynccontextmanager
    async def _answering(self, refusal: type[Exception] | tuple[()] = ()) -> AsyncIterator[None]:
        """Turn every failure of the provider into one of two words. Its own text goes nowhere."""
        try:
            async with asyncio.timeout(self._patience):
                yield
        except refusal:
            raise SignInRefused("the token endpoint refused the code") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as fault:
            raise ProviderUnavailable(f"no answer of the identity provider: {type(fault).__name__}") from None
        except (ValueError, TypeError) as fault:  # no JSON, or JSON in which the library finds no token answer
            raise ProviderUnavailable(f"an answer without sense: {type(fault).__name__}") from None


class _Capped(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        try:
            body = await _read(response)
        finally:
            await response.aclose()
        return httpx2.Response(response.status_code, headers=response.headers, content=body)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _read(response: httpx2.Response) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ProviderUnavailable("the answer is packed")
    body = bytearray()
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        raise TypeError("a transport of an async client answers with an async stream")
    async for chunk in response.stream:
        body += chunk
        if len(body) > MAX_BYTES:
            raise ProviderUnavailable("the answer is too large")
    return bytes(body)


def _object(response: httpx2.Response) -> Mapping[str, Any]:
    if not response.is_success:
        raise ProviderUnavailable(f"the identity provider answered {response.status_code}")
    data = response.json()
    if not isinstance(data, dict):
        raise ProviderUnavailable("the identity provider answered with no object")
    return data

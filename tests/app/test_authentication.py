"""Whose credential it is: at the gateway, at the real API, and at the embedded one."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import httpx2
import jwt
import pytest
from pydantic import SecretStr

from app.authentication import VISITOR, EmbeddedPrincipals, GatewayAuthenticator, UpstreamKeys
from app.internal_api.errors import Unavailable
from app.key_checks import NotAsked
from mcp_server.caller import Caller, current_caller
from mcp_server.errors import CircuitBreakerOpen, PermissionDenied, ServiceUnavailable
from mcp_server.minds_api.credentials import INTERNAL_AUDIENCE, INTERNAL_ISSUER, EmbeddedCredentials, OwnKey
from mcp_server.runtime import Runtime
from mcp_server.settings import McpSettings
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives.scopes import ALL
from oauth.verifier import Verifier
from tests.support import FakeFiles

KEY = "aox_" + "0123456789abcdef" * 3
SECRET = SecretStr("s" * 64)
MCP, API = "https://minds.example/mcp", "https://minds.example/api/v1"


class Known:
    """An authority that knows one key, or has lost its database."""

    def __init__(self, verified: Verified | None, *, fault: StoreUnavailable | None = None) -> None:
        self.verified, self.fault = verified, fault

    async def check(self, key: str) -> Verified | None:
        if self.fault:
            raise self.fault
        return self.verified if key in {KEY, TOKEN} else None


ADA = Verified("ada", frozenset({"sparks:read"}), client_id="ckey")
TOKEN = f"{'h' * 90}.{'p' * 300}.{'s' * 85}A"


def bearer(audience: str) -> Verified:
    """What a token for `audience` was verified as."""
    return Verified("ada", frozenset({"sparks:read"}), "claude", "access_token", audience=audience)


@pytest.mark.parametrize("linked", [None, SecretStr("minds_linked")])
async def test_a_key_becomes_a_caller_that_carries_it_to_the_real_api_whatever_is_linked(
    linked: SecretStr | None,
) -> None:
    caller = await real(Known(replace(ADA, linked_key=linked))).caller(KEY)

    assert caller is not None
    assert caller.credential == SecretStr(KEY)
    assert OwnKey().bearer(caller) == KEY
    assert KEY not in repr(caller)


async def test_towards_the_embedded_api_the_gateway_speaks_for_the_holder_of_a_key() -> None:
    caller = await GatewayAuthenticator(Verifier(Known(ADA)), MCP).caller(KEY)
    assert caller == Caller("api_key", "ada", frozenset({"sparks:read"}), "ckey")

    shown = await principals(ADA).find(EmbeddedCredentials(SECRET).bearer(caller))

    assert shown is not None
    assert shown == await principals(ADA).find(KEY)


async def test_a_caller_can_be_asked_for_again_until_the_credential_ends() -> None:
    known = Known(ADA)
    verifier = Verifier(known)
    caller = await GatewayAuthenticator(verifier, MCP).caller(KEY)
    assert caller is not None
    assert caller.again is not None
    assert await caller.again() == caller

    known.verified = None
    verifier.clear()

    assert await caller.again() is None


@pytest.mark.security("RS-29")
async def test_in_process_the_embedded_api_knows_service_tokens_alone() -> None:
    own = EmbeddedPrincipals(SECRET)

    assert await own.find(KEY) is None
    assert await own.find(EmbeddedCredentials(SECRET).bearer(Caller())) == own.visitor()


async def test_a_token_becomes_a_caller_without_a_credential_of_their_own() -> None:
    once = replace(bearer(MCP), linked_key=SecretStr("minds_linked"))  # when another API was in use
    caller = await GatewayAuthenticator(Verifier(Known(once)), MCP).caller(TOKEN)

    assert caller == Caller("oauth", "ada", frozenset({"sparks:read"}), "claude", credential=None)


@pytest.mark.security("RS-09")
@pytest.mark.parametrize("verified", [None, *map(bearer, [API, f"{MCP}/", "https://other.example/mcp", ""])])
async def test_what_is_unknown_or_for_another_resource_is_nobody_here(verified: Verified | None) -> None:
    authenticator = GatewayAuthenticator(Verifier(Known(verified)), MCP)

    assert [await authenticator.caller(credential) for credential in (KEY, TOKEN)] == [None, None]


def real(known: Known) -> GatewayAuthenticator:
    """In front of the real API."""
    return GatewayAuthenticator(Verifier(known), MCP, "https://minds.example/account")


@pytest.mark.security("RS-29")
async def test_towards_the_real_api_a_token_stands_for_the_key_that_its_account_has_linked() -> None:
    caller = await real(Known(replace(bearer(MCP), linked_key=SecretStr("minds_linked")))).caller(TOKEN)

    assert caller is not None
    assert OwnKey("https://minds.example/account").bearer(caller) == "minds_linked"
    assert caller.kind == "oauth"


async def test_an_account_without_a_linked_key_is_somebody_who_is_told_where_to_link_one() -> None:
    caller = await real(Known(bearer(MCP))).caller(TOKEN)

    assert caller is not None
    with pytest.raises(PermissionDenied) as refused:
        OwnKey("https://minds.example/account").bearer(caller)
    assert "https://minds.example/account" in refused.value.message


@pytest.mark.security("AK-06")
async def test_a_store_that_cannot_be_read_is_unavailable_and_not_nobody() -> None:
    with pytest.raises(ServiceUnavailable):
        await GatewayAuthenticator(Verifier(Known(None, fault=StoreUnavailable("down"))), MCP).caller(KEY)


async def test_a_key_that_is_not_asked_about_gets_the_refusal_of_the_open_breaker() -> None:
    with pytest.raises(CircuitBreakerOpen) as refusal:
        await GatewayAuthenticator(Verifier(Known(None, fault=NotAsked(9))), MCP).caller(KEY)

    assert refusal.value.retry_after == 9


async def upstream(answer: Callable[[httpx2.Request], httpx2.Response]) -> Verified | None:
    """What the real API's answer to `GET /auth/me` makes of a key."""
    transport = httpx2.MockTransport(answer)
    runtime = Runtime(
        McpSettings(_env_file=None),
        [],
        api_url="https://api.example",
        credentials=OwnKey(),
        files=FakeFiles(),
        transport=transport,
    )
    async with runtime:
        return await UpstreamKeys(runtime.api).check(KEY)


async def test_the_real_api_is_asked_with_the_key_itself() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={"id": "ada"})

    verified = await upstream(answer)

    assert verified is not None
    assert (verified.subject, verified.scopes) == ("ada", ALL - {"docs:write"})
    assert KEY not in verified.client_id
    assert (seen[0].method, str(seen[0].url)) == ("GET", "https://api.example/api/v1/auth/me")
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert current_caller.get().is_anonymous


@pytest.mark.security("AK-04")
@pytest.mark.parametrize("status", [401, 403])
async def test_a_key_that_the_real_api_refuses_is_nobody(status: int) -> None:
    assert await upstream(lambda request: httpx2.Response(status, json={"statusCode": status})) is None


@pytest.mark.security("AK-06")
@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(500),
        httpx2.Response(404, json={"statusCode": 404}),
        httpx2.Response(503, text="<html>"),
        httpx2.Response(429, headers={"retry-after": "1"}),
        httpx2.Response(200, json={"id": None}),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, json={}),
        httpx2.Response(200, text="<html>"),
        httpx2.Response(302, headers={"location": "https://evil.example"}),
        httpx2.ConnectError("no"),
    ],
)
async def test_an_answer_that_says_nothing_of_the_key_and_none_at_all_decide_nothing(
    answer: httpx2.Response | httpx2.ConnectError,
) -> None:
    def reply(request: httpx2.Request) -> httpx2.Response:
        if isinstance(answer, httpx2.Response):
            return answer
        raise answer

    with pytest.raises(StoreUnavailable):
        await upstream(reply)


def principals(verified: Verified | None = None) -> EmbeddedPrincipals:
    return EmbeddedPrincipals(SECRET, GatewayAuthenticator(Verifier(Known(verified)), API))


@pytest.mark.parametrize(("verified", "credential"), [(ADA, KEY), (bearer(API), TOKEN)])
async def test_the_embedded_api_knows_keys_and_tokens_that_were_issued_for_it_and_their_scopes(
    verified: Verified, credential: str
) -> None:
    principal = await principals(verified).find(credential)

    assert principal is not None
    assert (principal.user_id, principal.scopes, principal.demo) == ("ada", frozenset({"sparks:read"}), False)


@pytest.mark.security("RS-09", "RS-29")
async def test_the_token_of_an_mcp_client_is_nobody_at_the_embedded_api() -> None:
    assert await principals(bearer(MCP)).find(TOKEN) is None


@pytest.mark.security("RS-12")
@pytest.mark.parametrize("subject", ["ada", "eve"])
async def test_a_token_reaches_the_things_of_its_own_account_and_no_others(subject: str) -> None:
    verified = replace(bearer(MCP), subject=subject)
    caller = await GatewayAuthenticator(Verifier(Known(verified)), MCP).caller(TOKEN)
    assert caller is not None

    shown = EmbeddedCredentials(SECRET).bearer(caller)
    principal = await principals().find(shown)

    assert shown != TOKEN
    assert principal is not None
    assert principal.user_id == subject


async def test_a_visitor_is_the_demo_account() -> None:
    visitor = await principals().find(EmbeddedCredentials(SECRET).bearer(Caller()))

    assert visitor == principals().visitor() == VISITOR
    assert VISITOR.demo


def claims(**changed: object) -> dict[str, object]:
    now = int(time.time())
    base = {"iss": INTERNAL_ISSUER, "aud": INTERNAL_AUDIENCE, "sub": "ada", "scope": "", "iat": now, "exp": now + 60}
    return {name: value for name, value in {**base, **changed}.items() if value is not None}


def signed(secret: str = SECRET.get_secret_value(), algorithm: str = "HS256", **changed: object) -> str:
    return jwt.encode(claims(**changed), secret, algorithm)


@pytest.mark.security("RS-06", "RS-09")
@pytest.mark.parametrize(
    "make",
    [
        *(partial(signed, iss=issuer) for issuer in ("evil", None)),
        *(partial(signed, aud=audience) for audience in ("https://127.0.0.1:8000/mcp", None)),
        *(partial(signed, exp=end) for end in (1, None)),
        *(partial(signed, sub=subject) for subject in (None, 7, "")),
        partial(signed, iat=None),
        partial(signed, nbf=2**40),
        partial(signed, "", "none"),
        partial(signed, "t" * 64),
        partial(signed, algorithm="HS512"),
        lambda: signed()[:-2],
        lambda: signed().rpartition(".")[0] + ".",
        lambda: "",
        lambda: "a.b.c",
    ],
)
async def test_a_service_token_with_another_claim_or_signature_is_nobody(make: Callable[[], str]) -> None:
    assert await principals().find(signed()) is not None

    assert await principals().find(make()) is None


@pytest.mark.security("AK-06")
async def test_the_embedded_api_hears_of_a_silent_store_in_its_own_words() -> None:
    verifier = Verifier(Known(None, fault=StoreUnavailable("down")))
    silent = EmbeddedPrincipals(SECRET, GatewayAuthenticator(verifier, API))

    with pytest.raises(Unavailable):
        await silent.find(KEY)

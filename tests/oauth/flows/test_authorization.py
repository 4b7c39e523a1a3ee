"""The order of the checks, and what becomes of scopes, resources and prompts."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from oauth.errors import InvalidRequest, InvalidScope
from oauth.flows.authorization import Authorization, SentBack, address, granted_at_most
from oauth.grants import AuthorizationRequest
from oauth.primitives.parameters import Parameters
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer, Stale
from oauth.settings import OAuthSettings
from tests.oauth.browsing import REDIRECT, SITE, Directory, answer_of, asked, client

SETTINGS = OAuthSettings(SITE, ALL)
SEALER = Sealer(SecretStr("an installation's secret"))
READ, WRITE = "sparks:read", "sparks:write"


@pytest.fixture
def directory() -> Directory:
    directory = Directory()
    directory.add(client())
    return directory


@pytest.fixture
def authorization(directory: Directory) -> Authorization:
    return Authorization(directory, SEALER, SETTINGS)


async def check(authorization: Authorization, now: datetime, **changes: str | None) -> AuthorizationRequest:
    handle = await authorization.begin(Parameters(asked(**changes).items()), now)
    return (await authorization.resume(handle, now))[0]


async def sent_back(authorization: Authorization, now: datetime, **changes: str | None) -> BaseException | None:
    with pytest.raises(SentBack) as refused:
        await check(authorization, now, **changes)
    return refused.value.__cause__


async def test_a_request_in_order_says_what_is_asked(authorization: Authorization, now: datetime) -> None:
    request = await check(authorization, now, resource=f"{SITE}/mcp/", prompt="login consent")

    assert (request.client_id, request.redirect_uri, request.redirect_given) == ("app", REDIRECT, True)
    assert request.scopes == {READ, WRITE}
    assert request.prompt == {"login", "consent"}
    assert (request.resource, request.issued_at) == (f"{SITE}/mcp", now)


async def test_the_words_that_nobody_can_have_are_known_unless_they_are_very_many(
    authorization: Authorization, now: datetime
) -> None:
    many = " ".join(f"word-{number}" for number in range(100))

    assert (await check(authorization, now, scope=f"{READ} profile openid")).asked == "openid profile"
    assert (await check(authorization, now, scope=f"{READ} {many}")).asked == ""
    assert (await check(authorization, now, scope=None)).asked == ""


@pytest.mark.parametrize("prompt", ["none login", "none consent", "none create", "creat", "Login", "login\tconsent"])
async def test_a_prompt_that_contradicts_itself_or_is_unknown_is_refused(
    authorization: Authorization, now: datetime, prompt: str
) -> None:
    assert isinstance(await sent_back(authorization, now, prompt=prompt), InvalidRequest)


async def test_a_request_holds_only_while_the_client_keeps_its_redirect(
    authorization: Authorization, directory: Directory, now: datetime
) -> None:
    # CI-09: the document of a client may change between the request and the answer
    handle = await authorization.begin(Parameters(asked().items()), now)
    assert (await authorization.resume(handle, now))[1] == client()

    directory.add(client("app", "https://elsewhere.example/cb"))

    with pytest.raises(InvalidRequest):
        await authorization.resume(handle, now)


@pytest.mark.security("AZ-14")
@pytest.mark.parametrize(
    ("asked_for", "of_client", "granted"),
    [
        ({READ}, set(), {READ}),
        ({READ, "openid", "admin"}, set(), {READ}),
        ({READ, "offline_access"}, set(), {READ}),
        ({"offline_access"}, {READ}, {READ}),
        (set(), {READ, WRITE, "admin"}, {READ, WRITE}),
        (set(), set(), ALL),
        ({READ, WRITE}, {READ}, {READ}),
    ],
)
def test_what_can_be_granted_of_a_scope_is_kept(asked_for: set[str], of_client: set[str], granted: set[str]) -> None:
    assert granted_at_most(frozenset(asked_for), frozenset(of_client), ALL) == granted


@pytest.mark.security("AZ-14")
@pytest.mark.parametrize("asked_for", [{"openid"}, {"admin", "offline_access"}, {WRITE}, {READ, 'a"b'}, {"a\nb", READ}])
def test_a_scope_without_anything_to_grant_or_malformed_is_refused(asked_for: set[str]) -> None:
    with pytest.raises(InvalidScope):
        granted_at_most(frozenset(asked_for), frozenset({READ}), ALL)


@pytest.mark.security("AZ-17", "AZ-24")
@given(st.text(min_size=1), st.sampled_from([REDIRECT, f"{REDIRECT}?", f"{REDIRECT}?a=b", f"{REDIRECT}?a=b?"]))
def test_whatever_the_state_is_it_comes_back_and_the_redirect_stays_whole(state: str, redirect: str) -> None:
    built = address(redirect, state, SITE, code="c o")

    assert built.startswith(redirect)
    assert built.isascii()
    assert " " not in built
    assert "+" not in built
    assert {"code": "c o", "state": state, "iss": SITE}.items() <= answer_of(built).items()


async def test_who_asks_for_a_new_account_is_led_to_the_sign_in(authorization: Authorization, now: datetime) -> None:
    assert (await check(authorization, now, prompt="create")).prompt == {"login"}
    assert (await check(authorization, now, prompt="create consent")).prompt == {"login", "consent"}


@pytest.mark.security("CO-14")
async def test_a_request_older_than_it_may_be_is_gone(authorization: Authorization, now: datetime) -> None:
    handle = await authorization.begin(Parameters(asked().items()), now)

    assert (await authorization.resume(handle, now + SETTINGS.request))[0].issued_at == now
    with pytest.raises(Stale):
        await authorization.resume(handle, now + SETTINGS.request + timedelta(milliseconds=1))

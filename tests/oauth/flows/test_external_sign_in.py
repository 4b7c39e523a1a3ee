"""A sign-in elsewhere is finished by the browser that began it, once, in time, with the provider it was started at."""

import asyncio
from datetime import datetime, timedelta
from secrets import token_urlsafe

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.endpoints.signed_in import MAX_TICKET
from oauth.errors import AccessDenied
from oauth.flows.accounts import disable_user, fold_email
from oauth.flows.external_sign_in import HOME, NOT_OURS, ExternalSignIn, Return, ReturnUrls, new_user
from oauth.grants import Identity
from oauth.identity.provider import Challenge
from oauth.models import User
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores.accounts import AccountStore
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import IdentityStore

GOING_ON = Return("/oauth/consent?request=a", fresh=True)
BOB = Identity("https://idp.example", "bob", "bob@example.com")
SETTINGS = OAuthSettings("https://gw.example.com", frozenset())
ANSWER = Parameters([("code", "c")])


class Provider:
    """Stands at the network's edge: an identity provider that knows Bob and notes what it is given."""

    label = "Example"

    def __init__(self, slug: str, identity: Identity = BOB) -> None:
        self.slug, self.identity = slug, identity
        self.started: list[tuple[Challenge, bool]] = []
        self.finished: list[Challenge] = []

    async def begin(self, challenge: Challenge, now: datetime, *, fresh: bool) -> str:
        self.started.append((challenge, fresh))
        return f"https://idp.example/?state={challenge.state}"

    async def finish(self, answer: Parameters, challenge: Challenge, now: datetime) -> Identity:
        self.finished.append(challenge)
        return self.identity


def external_of(engine: AsyncEngine, *providers: Provider) -> ExternalSignIn:
    sealer = Sealer(SecretStr("a secret of this installation, long enough"))
    return ExternalSignIn(providers, IdentityStore(engine), GrantStore(engine), sealer, SETTINGS)


@pytest.fixture
def provider() -> Provider:
    return Provider("oidc")


@pytest.fixture
def external(engine: AsyncEngine, provider: Provider) -> ExternalSignIn:
    return external_of(engine, provider, Provider("supabase"))


async def test_a_long_state_leaves_room_for_as_many_tabs_as_a_short_one(
    external: ExternalSignIn, now: datetime
) -> None:
    handle = token_urlsafe(2_000)  # of a request whose state has 1,500 characters

    started = await external.begin("oidc", Return(f"/oauth/consent?request={handle}"), now)

    assert len(started.ticket) <= MAX_TICKET  # one cookie


@pytest.mark.security("CB-01", "CB-03")
@pytest.mark.parametrize("case", ["no ticket", "no state", "another state", "another ticket", "too late", "garbage"])
async def test_nobody_else_can_finish_it(
    external: ExternalSignIn, provider: Provider, now: datetime, case: str
) -> None:
    started, other = [await external.begin("oidc", GOING_ON, now) for _ in range(2)]
    state: str | None = provider.started[0][0].state
    ticket: str | None = started.ticket
    at = now
    match case:
        case "no ticket":
            ticket = None
        case "no state":
            state = None
        case "another state":
            state = "guess"
        case "another ticket":
            ticket = other.ticket
        case "too late":
            at = now + SETTINGS.request + timedelta(seconds=1)
        case "garbage":
            ticket = "x" * 50

    with pytest.raises(AccessDenied) as refusal:
        await external.resume("oidc", state, ticket, at)

    assert str(refusal.value) == NOT_OURS


@pytest.mark.security("CB-03")
async def test_of_many_answers_one_is_taken(external: ExternalSignIn, provider: Provider, now: datetime) -> None:
    started = await external.begin("oidc", GOING_ON, now)
    state = provider.started[0][0].state

    outcomes = await asyncio.gather(
        *(external.resume("oidc", state, started.ticket, now) for _ in range(8)), return_exceptions=True
    )

    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AccessDenied) for outcome in outcomes) == 7


@pytest.mark.security("CB-05")
async def test_an_answer_of_another_provider_is_refused(
    external: ExternalSignIn, provider: Provider, now: datetime
) -> None:
    started = await external.begin("oidc", GOING_ON, now)

    with pytest.raises(AccessDenied):
        await external.resume("supabase", provider.started[0][0].state, started.ticket, now)


async def test_a_disabled_account_stays_out(
    external: ExternalSignIn, store: AccountStore, provider: Provider, now: datetime
) -> None:
    started = [await external.begin("oidc", GOING_ON, now) for _ in range(2)]
    ways = [
        await external.resume("oidc", challenge.state, ticket.ticket, now)
        for (challenge, _), ticket in zip(provider.started, started, strict=True)
    ]
    user = await external.finish(ways[0], ANSWER, now)

    await disable_user(store, user.email, now)

    with pytest.raises(AccessDenied):
        await external.finish(ways[1], ANSWER, now)


@pytest.mark.security("CB-08")
async def test_the_address_of_an_existing_account_leads_to_no_account(
    engine: AsyncEngine, ada: User, now: datetime
) -> None:
    provider = Provider("oidc", Identity("https://idp.example", "mallory", ada.email))
    external = external_of(engine, provider)
    started = await external.begin("oidc", GOING_ON, now)
    pending = await external.resume("oidc", provider.started[0][0].state, started.ticket, now)

    user = await external.finish(pending, ANSWER, now)

    assert user.id != ada.id
    assert user.email != ada.email


@pytest.mark.parametrize(
    ("issuer", "host"),
    [
        ("https://accounts.google.com", "accounts.google.com"),
        ("http://127.0.0.1:8000/realm", "127.0.0.1"),
        ("https://" + "a" * 250 + ".example", "a" * 192 + ".example"),
        ("no address", "issuer.invalid"),
    ],
)
def test_a_made_up_address_is_one_of_the_identity_alone(now: datetime, issuer: str, host: str) -> None:
    one, two = (new_user(Identity(issuer, subject), now) for subject in ("bob", "Bob"))

    assert one.email.partition("@")[2] == host
    assert one.email == new_user(Identity(issuer, "bob", "bob@example.com"), now).email == fold_email(one.email)
    assert (one.email == two.email, one.id == two.id, one.password_hash) == (False, False, None)


SEALER = Sealer(SecretStr("a secret of this installation, long enough"))
PATH = "/oauth/consent?request=abc"


@pytest.fixture
def returning() -> ReturnUrls:
    return ReturnUrls(SEALER)


@pytest.mark.parametrize("fresh", [True, False])
def test_a_path_comes_back_as_it_was_sealed(returning: ReturnUrls, now: datetime, fresh: bool) -> None:
    sealed = returning.seal(PATH, now, fresh=fresh)

    assert returning.open(sealed, now) == Return(PATH, fresh)


@pytest.mark.parametrize(
    "path",
    ["", "account", "//evil.example", "/\\evil.example", "https://evil.example/", "/a b", "/a\nb", "/\t/evil.example"],
)
def test_what_may_lead_to_another_site_is_never_sealed(returning: ReturnUrls, now: datetime, path: str) -> None:
    with pytest.raises(ValueError):
        returning.seal(path, now)


@given(st.none() | st.text(max_size=80))
def test_what_was_not_sealed_here_leads_home(text: str | None) -> None:
    assert ReturnUrls(SEALER).open(text, datetime.fromisoformat("2026-11-20T09:00:00Z")) == Return(HOME)


def test_what_was_sealed_for_something_else_or_long_ago_leads_home(returning: ReturnUrls, now: datetime) -> None:
    other = SEALER.seal("authorization request", b'["/oauth/consent", false]', now)

    assert returning.open(other, now) == Return(HOME)
    assert returning.open(returning.seal(PATH, now), now + timedelta(days=2)) == Return(HOME)

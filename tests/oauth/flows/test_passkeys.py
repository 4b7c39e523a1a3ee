"""Passkeys: what makes one, what signs in with one, and that all else is refused with one answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import AccessDenied, Conflict, TooManyRequests, Unacceptable, Unknown
from oauth.flows.accounts import FAILURES_OF_ACCOUNT, FAILURES_OF_ADDRESS, WINDOW, disable_user
from oauth.flows.passkeys import LIFETIME, MOST, Passkeys
from oauth.models import Passkey, User
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores import Stores
from oauth.stores.accounts import AccountStore
from tests.oauth.authenticator import PRESENT, VERIFIED, Authenticator
from tests.oauth.endpoints.sign_in_gate import Noted

SITE, HOST = "https://minds.example", "minds.example"
HERE, THERE = "192.0.2.1", "192.0.2.2"
SECRET, OTHER = "the secret of this browser", "the secret of another"


@dataclass
class Ways:
    """The flow, and what a browser does with it."""

    flow: Passkeys
    noted: Noted
    now: datetime

    async def add(self, user: User, device: Authenticator, name: str = "Phone", **changes: str) -> None:
        ceremony = await self.flow.begin_creation(user, SECRET, self.now)
        sent = {"name": name, "ticket": ceremony.ticket, "answer": device.create(ceremony.options), **changes}
        await self.flow.create(user, Parameters(sent.items()), SECRET, self.now)

    def form(self, device: Authenticator) -> Parameters:
        """The answer to a new challenge; the authenticator counts it."""
        ceremony = self.flow.begin_sign_in(SECRET, self.now)
        device.count += 1
        return Parameters({"ticket": ceremony.ticket, "answer": device.get(ceremony.options)}.items())

    async def enter(self, sent: Parameters, secret: str = SECRET, address: str = HERE) -> User:
        return (await self.flow.sign_in(sent, secret, address, self.now))[0]

    async def refused(self, sent: Parameters, secret: str = SECRET) -> str:
        with pytest.raises(AccessDenied) as refusal:
            await self.enter(sent, secret)
        return str(refusal.value)


@pytest.fixture
def ways(engine: AsyncEngine, now: datetime) -> Ways:
    noted = Noted()
    sealer = Sealer(SecretStr("a secret of this installation, long enough"))
    return Ways(Passkeys(Stores(engine), sealer, OAuthSettings(SITE, frozenset()), noted), noted, now)


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(SITE, HOST)


async def test_a_passkey_that_was_added_signs_its_account_in(ways: Ways, ada: User, device: Authenticator) -> None:
    await ways.add(ada, device, " Phone ")

    user, passkey = await ways.flow.sign_in(ways.form(device), SECRET, HERE, ways.now)

    (kept,) = await ways.flow.store.list_passkeys(ada.id)
    assert (user, passkey.name, passkey.transports) == (ada, "Phone", "hybrid internal")
    assert kept == replace(passkey, sign_count=1, last_used_at=ways.now)
    assert ways.noted.events == [("passkey_added", "Phone")]


WRONG_DEVICES: dict[str, Callable[[Authenticator, User], dict[str, object]]] = {
    "another origin": lambda _device, _bob: {"origin": "https://minds.example.evil.example"},
    "another scheme": lambda _device, _bob: {"origin": "http://minds.example"},
    "another host": lambda _device, _bob: {"host": "evil.example"},
    "nobody verified": lambda _device, _bob: {"flags": PRESENT},
    "nobody present": lambda _device, _bob: {"flags": VERIFIED},
    "another account": lambda _device, bob: {"user_handle": bob.id.encode()},
    "no account": lambda _device, _bob: {"user_handle": b""},
    "no text": lambda _device, _bob: {"user_handle": b"\xff\xfe"},
    "another key": lambda _device, _bob: {"key": Authenticator(SITE, HOST).key},
    "unknown": lambda _device, _bob: {"credential_id": b"of nobody"},
    "nameless": lambda _device, _bob: {"credential_id": b""},
}


@pytest.mark.parametrize("wrong", WRONG_DEVICES)
async def test_every_wrong_answer_is_refused_with_the_same_words(
    ways: Ways, store: AccountStore, ada: User, device: Authenticator, wrong: str
) -> None:
    bob = User("bob", "bob@example.com", ways.now)
    await store.add_user(bob)
    await ways.add(ada, device)
    unknown = await ways.refused(ways.form(Authenticator(SITE, HOST, user_handle=ada.id.encode())))

    refused = await ways.refused(ways.form(replace(device, **WRONG_DEVICES[wrong](device, bob))))  # type: ignore[arg-type]  # a test's own

    assert refused == unknown
    assert await ways.enter(ways.form(device)) == ada


@pytest.mark.parametrize("wrong", ["origin", "host", "flags"])
async def test_a_passkey_that_was_not_made_here_by_a_verified_person_is_not_added(
    ways: Ways, ada: User, device: Authenticator, wrong: str
) -> None:
    changes = {"origin": "https://evil.example", "host": "evil.example", "flags": PRESENT}
    setattr(device, wrong, changes[wrong])

    with pytest.raises(Unacceptable):
        await ways.add(ada, device)

    assert await ways.flow.store.list_passkeys(ada.id) == []
    assert ways.noted.events == []


NOT_ANSWERS = ["", "x", "[]", "{}", '{"id": 1}', "[" * 5_000, '{"id": "a", "id": "b"}', '{"rawId": "\\ud800"}', "null"]


@pytest.mark.parametrize("answer", NOT_ANSWERS)
async def test_what_is_no_answer_is_a_refusal_and_no_fault(
    ways: Ways, ada: User, device: Authenticator, answer: str
) -> None:
    await ways.add(ada, device)
    sent = Parameters({**ways.form(device), "answer": answer}.items())

    await ways.refused(sent)
    with pytest.raises(Unacceptable):
        await ways.add(ada, Authenticator(SITE, HOST), answer=answer)


async def test_an_answer_is_taken_once(ways: Ways, ada: User, device: Authenticator) -> None:
    await ways.add(ada, device)
    sent = ways.form(device)
    await ways.enter(sent)

    await ways.refused(sent)

    assert [event for event, _name in ways.noted.events] == ["passkey_added"], "a replay is no sign of a copy"


async def test_a_refused_answer_has_used_its_challenge_up(ways: Ways, ada: User, device: Authenticator) -> None:
    await ways.add(ada, device)
    ceremony = ways.flow.begin_sign_in(SECRET, ways.now)
    device.count = 1
    wrong, right = replace(device, flags=PRESENT).get(ceremony.options), device.get(ceremony.options)

    for answer in (wrong, right):
        await ways.refused(Parameters({"ticket": ceremony.ticket, "answer": answer}.items()))


async def test_a_challenge_is_good_for_five_minutes_in_the_browser_that_has_it(
    ways: Ways, ada: User, device: Authenticator
) -> None:
    await ways.add(ada, device)
    stale, other, fresh = (ways.form(device) for _ in range(3))

    ways.now += LIFETIME + timedelta(seconds=1)
    await ways.refused(stale)
    ways.now -= timedelta(seconds=2)
    await ways.refused(other, OTHER)
    await ways.refused(Parameters({**other, "ticket": stale["ticket"]}.items()))

    assert await ways.enter(fresh) == ada


async def test_a_challenge_of_one_ceremony_is_none_of_the_other(ways: Ways, ada: User, device: Authenticator) -> None:
    await ways.add(ada, device)
    creation = await ways.flow.begin_creation(ada, SECRET, ways.now)
    device.count += 1
    signed = Parameters({"ticket": creation.ticket, "answer": device.get(creation.options)}.items())
    with pytest.raises(AccessDenied):
        await ways.add(ada, Authenticator(SITE, HOST), ticket=ways.flow.begin_sign_in(SECRET, ways.now).ticket)

    await ways.refused(signed)


async def test_a_count_that_goes_back_is_a_copy_and_told_to_its_owner(
    ways: Ways, ada: User, device: Authenticator
) -> None:
    await ways.add(ada, device)
    copy = replace(device)
    for _ in range(3):
        await ways.enter(ways.form(device))

    await ways.refused(ways.form(copy))

    assert ways.noted.events[1:] == [("passkey_copied", "Phone")]
    assert await ways.enter(ways.form(device)) == ada


async def test_a_disabled_account_is_refused_like_an_unknown_one(
    ways: Ways, store: AccountStore, ada: User, device: Authenticator
) -> None:
    await ways.add(ada, device)
    await disable_user(store, ada.email, ways.now)

    assert await ways.refused(ways.form(device)) == await ways.refused(ways.form(Authenticator(SITE, HOST)))


async def test_failures_with_one_passkey_and_from_one_address_are_counted_with_those_of_passwords(
    ways: Ways, ada: User, device: Authenticator
) -> None:
    await ways.add(ada, device)
    for _ in range(FAILURES_OF_ACCOUNT):
        await ways.refused(ways.form(replace(device, flags=PRESENT)))
    with pytest.raises(TooManyRequests):
        await ways.enter(ways.form(device))
    elsewhere = await ways.enter(ways.form(device), address=THERE)
    for _ in range(FAILURES_OF_ADDRESS - FAILURES_OF_ACCOUNT):
        await ways.refused(ways.form(Authenticator(SITE, HOST)))
    with pytest.raises(TooManyRequests):
        await ways.enter(ways.form(Authenticator(SITE, HOST)))

    ways.now += WINDOW
    assert (elsewhere, await ways.enter(ways.form(device))) == (ada, ada)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "two\nlines"])
async def test_a_passkey_has_a_name(ways: Ways, ada: User, device: Authenticator, name: str) -> None:
    with pytest.raises(Unacceptable):
        await ways.add(ada, device, name)


async def test_a_passkey_is_nobody_elses_and_browsers_are_told_which_are_there(
    ways: Ways, store: AccountStore, ada: User, device: Authenticator
) -> None:
    bob = User("bob", "bob@example.com", ways.now)
    await store.add_user(bob)
    await ways.add(ada, device)

    with pytest.raises(Conflict):
        await ways.add(bob, device)

    (held,) = await ways.flow.store.list_passkeys(ada.id)
    assert held.credential_id in (await ways.flow.begin_creation(ada, SECRET, ways.now)).options
    assert held.credential_id not in ways.flow.begin_sign_in(SECRET, ways.now).options


async def test_an_account_has_so_many_and_no_more(ways: Ways, ada: User, device: Authenticator) -> None:
    for number in range(MOST):
        await ways.flow.store.add_passkey(Passkey(f"{number}", ada.id, f"c{number}", b"", 0, "Old", "", ways.now))

    with pytest.raises(Unacceptable):
        await ways.add(ada, device)


async def test_a_removed_passkey_opens_nothing(
    ways: Ways, store: AccountStore, ada: User, device: Authenticator
) -> None:
    bob = User("bob", "bob@example.com", ways.now)
    await store.add_user(bob)
    await ways.add(ada, device)
    (held,) = await ways.flow.store.list_passkeys(ada.id)

    with pytest.raises(Unknown):
        await ways.flow.remove(bob, held.id)
    assert await ways.enter(ways.form(device)) == ada
    await ways.flow.remove(ada, held.id)

    await ways.refused(ways.form(device))
    assert ways.noted.events[1:] == [("passkey_removed", "Phone")]


@pytest.mark.parametrize(
    ("site", "embedded", "offered"),
    [
        (SITE, True, True),
        ("http://localhost:8000", True, True),
        ("http://127.0.0.1:8000", True, False),
        ("http://[::1]:8000", True, False),
        (SITE, False, False),
    ],
)
async def test_passkeys_need_a_host_name_and_accounts_of_this_server(
    engine: AsyncEngine, site: str, embedded: bool, offered: bool
) -> None:
    settings = OAuthSettings(site, frozenset(), embedded_sign_in=embedded)

    assert Passkeys(Stores(engine), Sealer(SecretStr("secret")), settings, Noted()).is_offered is offered

"""Anybody may register, so a registration grants nothing and costs little."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.endpoints.pages import POLICY
from oauth.errors import InvalidClientMetadata
from oauth.flows.registration import Registration
from oauth.grants import Client
from oauth.primitives import secrets
from oauth.stores.clients import ClientStore
from tests.oauth.clients import NOW, REGISTRATIONS, SETTINGS

HERE = "192.0.2.1"
CLAUDE = REGISTRATIONS["Claude"]


@dataclass
class Kept:
    """Keeps what is registered, as the store does; no other question is asked of it here."""

    clients: list[tuple[Client, str | None]] = field(default_factory=list)

    async def register(self, client: Client, fingerprint: str | None, now: object) -> Client:
        self.clients.append((client, fingerprint))
        return client


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def registration(kept: Kept) -> Registration:
    store: ClientStore = kept  # type: ignore[assignment]  # the part of it that registering needs
    return Registration(store, SETTINGS)


@pytest.mark.parametrize("name", REGISTRATIONS)
async def test_what_known_clients_register_is_accepted_and_echoed(name: str, registration: Registration) -> None:
    words = REGISTRATIONS[name]

    registered = await registration.register(words, HERE, NOW)

    said = {word: value for word, value in words.items() if value is not None and word != "scope"}
    assert {word: registered.metadata[word] for word in said} == said
    assert registered.client.redirect_uris == tuple(words["redirect_uris"])
    assert registered.client.name == words.get("client_name", "claude.ai")
    assert registered.client.expires_at == NOW + SETTINGS.unused_client


@pytest.mark.security("RG-18")
@pytest.mark.parametrize("method", ["private_key_jwt", "client_secret_jwt", "tls_client_auth", "magic", ""])
async def test_a_way_to_authenticate_that_cannot_be_is_refused_or_replaced(
    method: str, registration: Registration
) -> None:
    try:
        registered = await registration.register(CLAUDE | {"token_endpoint_auth_method": method}, HERE, NOW)
    except InvalidClientMetadata:
        return
    assert registered.metadata["token_endpoint_auth_method"] == "none"


@pytest.mark.security("RG-19", "RG-33")
async def test_what_a_client_may_not_say_is_not_heard(registration: Registration) -> None:
    claims = {
        "client_id": "client_of_another",
        "client_secret": "chosen",
        "is_trusted": True,
        "skip_consent": True,
        "first_party": True,
        "kind": "configured",
        "software_statement": "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmlzIjpbImh0dHBzOi8vZXZpbC5leGFtcGxlL2NiIl19.",
    }

    plain = await registration.register(CLAUDE, HERE, NOW)
    registered = await registration.register({**CLAUDE, **claims}, HERE, NOW)

    assert registered.metadata == plain.metadata
    assert replace(registered.client, id="") == replace(plain.client, id="")
    assert registered.client.id not in {"client_of_another", plain.client.id}


@pytest.mark.security("RG-23", "RG-39")
async def test_links_are_https_or_nothing_and_a_picture_is_never_kept(registration: Registration) -> None:
    links = {"client_uri": "javascript:alert(1)", "policy_uri": "data:x", "logo_uri": "https://evil.example/l.png"}

    registered = await registration.register({**CLAUDE, **links}, HERE, NOW)

    assert registered.metadata.keys() & links.keys() == {"logo_uri"}
    assert "javascript:" not in repr(registered.client)
    assert "evil.example" not in repr(registered.client)
    assert "img-src 'self'" in POLICY  # whatever a page may say, no browser loads it from there


@pytest.mark.security("RG-38")
@pytest.mark.parametrize("name", ["Claud\u0435", "\u0421hatGPT", "\uff23laude"])
async def test_nobody_vouches_for_a_name_that_registers_itself(name: str, registration: Registration) -> None:
    registered = await registration.register(CLAUDE | {"client_name": name}, HERE, NOW)

    assert registered.client.verified_host is None
    assert registered.client.name == name  # the consent page shows how it is written, and where the code goes


async def test_a_client_with_a_secret_is_always_new_and_its_secret_is_kept_as_a_digest(
    registration: Registration, kept: Kept
) -> None:
    words = REGISTRATIONS["Claude with a secret"]

    first = await registration.register(words, HERE, NOW)
    second = await registration.register(words, HERE, NOW)

    assert [fingerprint for _, fingerprint in kept.clients] == [None, None]
    assert first.secret is not None
    assert first.client.secret_digest == secrets.digest(first.secret)
    assert first.secret != second.secret
    assert first.client.id != second.client.id
    assert first.secret not in repr(first)


async def test_the_same_registration_gives_the_same_client_until_it_expires(engine: AsyncEngine) -> None:
    registration = Registration(ClientStore(engine), SETTINGS)

    made = [
        (await registration.register(CLAUDE, HERE, NOW + after)).client.id
        for after in (timedelta(), timedelta(hours=23), timedelta(hours=46), timedelta(days=10))
    ]

    assert made[0] == made[1] == made[2] != made[3]


@pytest.mark.security("RG-24")
async def test_no_word_of_a_registration_is_asked_for_over_the_network(registration: Registration) -> None:
    canary = "https://127.0.0.1:9/canary"
    words: dict[str, Any] = dict.fromkeys(
        ("logo_uri", "jwks_uri", "client_uri", "sector_identifier_uri", "initiate_login_uri"), canary
    )

    registered = await registration.register({**CLAUDE, **words}, HERE, NOW)

    assert not [name for name in vars(registration) if "fetch" in name]  # it holds nothing to ask with
    assert "sector_identifier_uri" not in registered.metadata


@pytest.mark.security("CO-07")
@pytest.mark.parametrize("name", ["Claude\u200b", "Cl\u00adaude", "Claude\u202eevil"])
async def test_a_name_that_hid_something_is_shown_clean_and_remembered_as_doubtful(
    name: str, registration: Registration, kept: Kept
) -> None:
    honest = await registration.register({**CLAUDE, "client_name": "Claude"}, HERE, NOW)
    other = await registration.register({**CLAUDE, "client_name": name}, HERE, NOW)

    assert (honest.client.imitates, other.client.imitates) == (False, True)
    assert other.client.name.isprintable()
    assert other.client.id != honest.client.id

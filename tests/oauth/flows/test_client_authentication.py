"""Which client makes a request, and whether it proves it."""

import base64
from datetime import datetime, timedelta
from urllib.parse import quote_plus

import pytest

from oauth.errors import InvalidClient, InvalidRequest, ProtocolError
from oauth.flows.client_assertions import TYPE, Assertions, ClientKeys
from oauth.flows.client_authentication import ClientAuthentication
from oauth.flows.clients import Clients
from oauth.grants import AuthMethod, Client
from oauth.primitives import secrets
from oauth.primitives.parameters import Parameters
from tests.oauth.clients import NOW, SETTINGS, Spent, Web
from tests.oauth.signing import claims, new_key, public, signed

SECRET = "a secret: with + and % and é"
KEY = new_key()


def client(client_id: str, *methods: AuthMethod) -> Client:
    return Client(
        client_id,
        "configured",
        client_id,
        (),
        NOW,
        auth_methods=frozenset(methods),
        secret_digest=secrets.digest(SECRET) if {"client_secret_basic", "client_secret_post"} & {*methods} else None,
        jwks={"keys": [public(KEY)]} if "private_key_jwt" in methods else None,
    )


CLIENTS = {
    known.id: known
    for known in (
        client("public", "none"),
        client("basic: one", "client_secret_basic"),
        client("post", "client_secret_post"),
        client("either", "client_secret_basic", "client_secret_post"),
        client("keys", "private_key_jwt"),
        client("chatgpt", "none", "private_key_jwt"),
    )
}


class Finder(Clients):
    def __init__(self) -> None: ...

    async def find(self, client_id: str, now: datetime, place: str = "") -> Client:
        if client_id not in CLIENTS:
            raise InvalidClient("Unknown.")
        return CLIENTS[client_id]


async def who(header: str | None = None, **sent: str) -> str:
    authenticate = ClientAuthentication(Finder(), Assertions(ClientKeys(Web()), Spent(), SETTINGS))
    return (await authenticate(header, Parameters(sent.items()), NOW)).id


async def refused(header: str | None = None, **sent: str) -> type[ProtocolError]:
    with pytest.raises(ProtocolError) as error:
        await who(header, **sent)
    assert SECRET not in str(error.value)
    return type(error.value)


def basic(client_id: str, secret: str, scheme: str = "Basic") -> str:
    joined = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return f"{scheme} {base64.b64encode(joined.encode()).decode()}"


def raw(joined: bytes) -> str:
    return f"Basic {base64.b64encode(joined).decode()}"


def assertion(client_id: str) -> dict[str, str]:
    return {"client_assertion_type": TYPE, "client_assertion": signed(KEY, claims(client_id))}


async def test_a_signed_statement_names_its_client_by_itself() -> None:
    assert await who(**assertion("keys")) == "keys"
    assert await who(client_id="keys", **assertion("keys")) == "keys"
    assert await who(**assertion("chatgpt")) == "chatgpt"
    assert await who(client_id="chatgpt") == "chatgpt"


async def test_a_secret_that_was_not_encoded_before_it_was_joined_is_the_same_secret() -> None:
    assert await who(raw(f"either:{SECRET}".encode())) == "either"
    assert await refused(raw(f"either:{SECRET} ".encode())) is InvalidClient
    assert await refused(raw(b"either:")) is InvalidClient


@pytest.mark.security("TK-11", "RF-14")
@pytest.mark.parametrize("secret", ["wrong", "", SECRET + " ", SECRET.upper(), "x" * 8_000])
async def test_a_wrong_secret_is_refused(secret: str) -> None:
    assert await refused(basic("basic: one", secret)) is InvalidClient
    assert await refused(client_id="post", client_secret=secret) is InvalidClient
    assert await refused(client_id="either", client_secret=secret) is InvalidClient


async def test_a_way_for_which_it_is_not_registered_is_refused() -> None:
    assert await refused(client_id="basic: one", client_secret=SECRET) is InvalidClient
    assert await refused(basic("post", SECRET)) is InvalidClient
    assert await refused(client_id="post") is InvalidClient
    assert await refused(client_id="keys") is InvalidClient
    assert await refused(client_id="public", client_secret="anything") is InvalidClient
    assert await refused(basic("public", "anything")) is InvalidClient
    assert await refused(client_id="public", **assertion("public")) is InvalidClient


@pytest.mark.security("TK-10")
@pytest.mark.parametrize("client_id", ["", "unknown", "*", "' OR 1=1 --", "x" * 8_000, "\x00"])
async def test_an_unknown_client_is_refused(client_id: str) -> None:
    assert await refused(client_id=client_id) is InvalidClient
    assert await refused(basic(client_id, SECRET)) is InvalidClient


@pytest.mark.security("TK-14")
@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic YQ",
        "Basic é",
        raw(b"no colon"),
        raw(b":" + SECRET.encode()),
        raw(b"\xff:\xff"),
        raw(b"%ff:x"),
        raw(b""),
        raw(b"either:" + quote_plus(SECRET).encode()).replace("Z", "!Z", 1),
        raw(b"either:" + quote_plus(SECRET).encode()) + "!",
    ],
)
async def test_basic_credentials_that_cannot_be_read_are_refused(header: str) -> None:
    assert await refused(header) is InvalidClient


@pytest.mark.security("TK-15")
async def test_two_ways_or_two_clients_at_once_are_refused() -> None:
    assert await refused(basic("either", SECRET), client_id="either", client_secret=SECRET) is InvalidRequest
    assert await refused(basic("either", SECRET), client_id="public") is InvalidRequest
    assert await refused(basic("either", SECRET), **assertion("keys")) is InvalidRequest
    assert await refused(client_id="keys", client_secret=SECRET, **assertion("keys")) is InvalidRequest


@pytest.mark.security("TK-30")
async def test_after_ten_wrong_secrets_a_place_learns_nothing_more_and_other_places_notice_nothing() -> None:
    authenticate = ClientAuthentication(Finder(), Assertions(ClientKeys(Web()), Spent(), SETTINGS))

    async def attempt(secret: str, place: str, now: datetime = NOW, client_id: str = "post") -> str:
        sent = {"client_id": client_id, "client_secret": secret}
        try:
            return (await authenticate(None, Parameters(sent.items()), now, place)).id
        except ProtocolError as refused:
            return type(refused).__name__

    guesses = [await attempt(f"guess {number}", "203.0.113.7") for number in range(12)]

    assert guesses == ["InvalidClient"] * 10 + ["TooManyRequests"] * 2
    assert await attempt(SECRET, "203.0.113.7") == "TooManyRequests"  # a 200 would say which guess was right
    assert await attempt(SECRET, "203.0.113.7", client_id="either") == "either"
    assert await attempt("a guess", "198.51.100.9") == "InvalidClient"
    assert await attempt(SECRET, "198.51.100.9") == "post"
    assert await attempt(SECRET, "203.0.113.7", NOW + timedelta(seconds=61)) == "post"

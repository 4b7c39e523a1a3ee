"""Access tokens: what they say, and that nothing else passes for one."""

import asyncio
import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from oauth.access_tokens import AccessTokens
from oauth.errors import StoreUnavailable
from oauth.primitives.clock import EPOCH
from oauth.primitives.scopes import ALL
from oauth.primitives.secrets import looks_like_token
from oauth.settings import OAuthSettings
from oauth.signing_keys import SPAN, SigningKeys, public_jwk
from tests.oauth.delegating import GRANT, NOW, SETTINGS, SITE, KeysInMemory, claims, encoded, ring, signed, strange_key

SECOND = timedelta(seconds=1)
READ = frozenset({"sparks:read"})


@pytest.fixture
def keys() -> SigningKeys:
    return ring()


@pytest.fixture
def tokens(keys: SigningKeys) -> AccessTokens:
    return AccessTokens(keys, SETTINGS)


def part(token: str, index: int) -> dict[str, Any]:
    raw = token.split(".")[index]
    read: dict[str, Any] = json.loads(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))
    return read


async def test_a_token_says_what_the_profile_wants_and_which_grant_it_is_of(
    tokens: AccessTokens, keys: SigningKeys
) -> None:
    token, seconds = await tokens.issue(GRANT, frozenset({"sparks:read", "sparks:chat"}), NOW)

    said = part(token, 1)
    issued = int(NOW.timestamp())
    assert part(token, 0) == {"alg": "ES256", "typ": "at+jwt", "kid": (await keys.current(NOW)).kid}
    assert said.pop("jti")
    assert said == {
        "iss": SITE,
        "sub": GRANT.user_id,
        "aud": f"{SITE}/mcp",
        "exp": issued + 3_600,
        "iat": issued,
        "client_id": GRANT.client_id,
        "scope": "sparks:read sparks:chat",
        "grant_id": GRANT.id,
    }
    assert seconds == 3_600
    assert looks_like_token(token)


@pytest.mark.security("RS-20")
async def test_a_token_of_ours_is_read(tokens: AccessTokens) -> None:
    token, _ = await tokens.issue(GRANT, READ, NOW + timedelta(milliseconds=700))

    read = await tokens.verify(token, NOW + SECOND)

    assert read is not None
    assert read.model_dump(exclude_none=True) == part(token, 1)
    assert read.scopes == READ


async def test_a_token_ends_with_its_grant(tokens: AccessTokens) -> None:
    token, seconds = await tokens.issue(replace(GRANT, expires_at=NOW + 90 * SECOND), READ, NOW)

    assert seconds == 90
    assert await tokens.verify(token, NOW + 89 * SECOND) is not None
    assert await tokens.verify(token, NOW + 90 * SECOND) is None


async def test_a_token_never_outlives_the_publication_of_its_key() -> None:
    store = KeysInMemory()
    end = EPOCH + (NOW - EPOCH) // SPAN * SPAN + SPAN
    await ring(store).current(NOW)
    longer = replace(SETTINGS, access=timedelta(days=1))

    _, seconds = await AccessTokens(ring(store, settings=longer), longer).issue(GRANT, READ, end - SECOND)

    assert seconds == 3_601, "the key was made when tokens lived an hour"


@pytest.mark.security("FI-20")
async def test_no_token_is_refused_while_keys_change_under_two_processes() -> None:
    """Each signs and the other reads, over three changes of keys, a minute apart; one clock is half a minute behind."""
    store = KeysInMemory()
    mine, theirs = AccessTokens(ring(store), SETTINGS), AccessTokens(ring(store), SETTINGS)
    upkeep = ring(store)
    change = EPOCH + (NOW - EPOCH) // SPAN * SPAN + SPAN
    behind = timedelta(seconds=30)
    refused = made = 0

    for at in (change + turn * SPAN + minute * 60 * SECOND for turn in range(3) for minute in range(-30, 31)):
        if at.minute == 0:
            await upkeep.prepare(at)
        tokens = await asyncio.gather(mine.issue(GRANT, READ, at), theirs.issue(GRANT, READ, at - behind))
        readers = ((theirs, at - behind), (mine, at), (mine, at + timedelta(minutes=59)))
        read = await asyncio.gather(*(who.verify(token, when) for token, _ in tokens for who, when in readers))
        made, refused = made + len(read), refused + read.count(None)

    assert (made, refused) == (3 * 61 * 6, 0)


@pytest.mark.security("RS-05")
async def test_a_token_ends_at_its_second_without_leeway(tokens: AccessTokens) -> None:
    token, seconds = await tokens.issue(GRANT, READ, NOW)

    assert await tokens.verify(token, NOW + (seconds - 0.001) * SECOND) is not None
    assert await tokens.verify(token, NOW + seconds * SECOND) is None


@pytest.mark.security("DI-25", "FI-16")
@pytest.mark.parametrize("skew", [timedelta(hours=1), timedelta(hours=-1), timedelta(seconds=1), timedelta(seconds=-1)])
async def test_a_clock_that_is_wrong_on_one_of_two_hosts_lengthens_no_life_by_more_than_a_minute(
    tokens: AccessTokens, skew: timedelta
) -> None:
    """The token is signed where the clock is wrong, and verified where it is right."""
    token, _ = await tokens.issue(GRANT, READ, NOW + skew)
    life = timedelta(seconds=3_600)

    minutes = [NOW + timedelta(minutes=passed) for passed in range(-5, 190)]
    valid = [moment for moment in minutes if await tokens.verify(token, moment) is not None]

    assert valid
    assert max(valid) - min(valid) <= life + timedelta(minutes=1)
    assert max(valid) < NOW + skew + life
    assert min(valid) >= NOW + skew - timedelta(minutes=1)


async def test_a_token_of_another_issuer_with_the_same_keys_is_refused(keys: SigningKeys) -> None:
    moved = OAuthSettings("https://elsewhere.example", ALL)
    token, _ = await AccessTokens(keys, SETTINGS).issue(GRANT, READ, NOW)

    assert await AccessTokens(keys, moved).verify(token, NOW) is None


WRONG_CLAIMS: list[dict[str, Any]] = [
    {"aud": None}, {"aud": ""}, {"aud": SITE}, {"aud": f"{SITE}/mcp/"}, {"aud": f"{SITE}/MCP"},
    {"aud": "https://other.example/mcp"}, {"aud": [f"{SITE}/mcp"]}, {"aud": f"{SITE}/mcp https://other.example"},
    {"iss": None}, {"iss": ""}, {"iss": f"{SITE}/"}, {"iss": "https://other.example"}, {"iss": [SITE]},
    {"exp": None}, {"exp": 1}, {"exp": "never"}, {"exp": 4e9}, {"exp": True}, {"exp": -1},
    {"nbf": int(NOW.timestamp()) + 1}, {"nbf": "soon"},
    {"iat": None}, {"iat": "now"}, {"iat": 1.5},
    {"sub": None}, {"sub": ""}, {"sub": 7}, {"sub": ["ada"]},
    {"jti": None}, {"jti": ""}, {"client_id": None}, {"client_id": ""}, {"scope": None}, {"scope": ["sparks:read"]},
    {"grant_id": None}, {"grant_id": ""}, {"grant_id": {"$ne": ""}},
]  # fmt: skip


CANARY = "https://canary.example/jwks.json"
WRONG_HEADERS: list[dict[str, Any]] = [
    {"typ": "JWT"}, {"typ": None}, {"typ": "jwt"}, {"typ": "id+jwt"}, {"typ": "application/jwt"}, {"typ": 7},
    {"kid": ""}, {"kid": "../../../../dev/null"}, {"kid": "' OR '1'='1"}, {"kid": "x" * 43},
    {"jku": CANARY}, {"x5u": CANARY}, {"x5c": ["MIIB"]}, {"jwk": public_jwk(strange_key().public_key())},
    {"cty": "JWT"}, {"b64": True}, {"zip": "DEF"},
]  # fmt: skip


NO_CLAIMS = ["", "e30", encoded([]), encoded("x"), encoded(None), "_w", "W1tbW1tb"]
WRONG: list[tuple[str, Any, dict[str, Any]]] = [
    (f"claims {changed}", claims(**changed), {}) for changed in WRONG_CLAIMS
]
WRONG += [(f"header {str(header)[:40]}", claims(), header) for header in WRONG_HEADERS]
WRONG += [(f"payload {payload}", payload, {}) for payload in NO_CLAIMS]


@pytest.mark.security("RS-06", "RS-09")
@pytest.mark.parametrize(("payload", "header"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
async def test_a_really_signed_token_with_another_claim_or_header_or_without_claims_is_refused(
    tokens: AccessTokens, keys: SigningKeys, payload: Any, header: dict[str, Any]
) -> None:
    assert await tokens.verify(await signed(keys, payload, **header), NOW) is None


@pytest.mark.security("RS-08")
@pytest.mark.parametrize(
    "header",
    [{"crit": ["x-policy"], "x-policy": "strict"}, {"crit": []}, {"crit": ["b64"], "b64": False}, {"crit": ["exp"]}],
    ids=str,
)
async def test_a_really_signed_token_with_a_critical_extension_is_refused(
    tokens: AccessTokens, keys: SigningKeys, header: dict[str, Any]
) -> None:
    assert await tokens.verify(await signed(keys, claims()), NOW) is not None, "the same without it"

    assert await tokens.verify(await signed(keys, claims(), **header), NOW) is None


def unsigned(kid: str, algorithm: str, signature: str = "") -> str:
    return f"{encoded({'alg': algorithm, 'typ': 'at+jwt', 'kid': kid})}.{encoded(claims())}.{signature}"


def with_secret(kid: str, secret: bytes) -> str:
    start = unsigned(kid, "HS256").rstrip(".")
    signature = jwt.get_algorithm_by_name("HS256").sign(start.encode(), secret)
    return f"{start}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


FORGERIES: dict[str, Callable[[str, dict[str, Any], str], str]] = {
    "none": lambda kid, jwk, good: unsigned(kid, "none"),
    "None": lambda kid, jwk, good: unsigned(kid, "None"),
    "nOnE": lambda kid, jwk, good: unsigned(kid, "nOnE"),
    "none with a signature": lambda kid, jwk, good: unsigned(kid, "none", good.split(".")[2]),
    "stripped": lambda kid, jwk, good: good.rpartition(".")[0] + ".",
    "without the last part": lambda kid, jwk, good: good.rpartition(".")[0],
    "zero signature": lambda kid, jwk, good: f"{good.rpartition('.')[0]}.{'A' * 86}",
    "tampered": lambda kid, jwk, good: ".".join([good.split(".")[0], encoded(claims(sub="eve")), good.split(".")[2]]),
    "HS256, empty": lambda kid, jwk, good: with_secret(kid, b""),
    "HS256, guessable": lambda kid, jwk, good: with_secret(kid, b"secret"),
    "HS256, address": lambda kid, jwk, good: with_secret(kid, f"{SITE}/.well-known/jwks.json".encode()),
    "HS256, published x": lambda kid, jwk, good: with_secret(kid, jwk["x"].encode()),
    "HS256, published key": lambda kid, jwk, good: with_secret(kid, json.dumps(jwk).encode()),
    "HS256, PEM": lambda kid, jwk, good: with_secret(kid, pem(jwk)),
    "another key under our id": lambda kid, jwk, good: jwt.encode(
        claims(), strange_key(), "ES256", {"typ": "at+jwt", "kid": kid}
    ),
    "RS256": lambda kid, jwk, good: jwt.encode(
        claims(), rsa.generate_private_key(65_537, 2_048), "RS256", {"typ": "at+jwt", "kid": kid}
    ),
    "no kid": lambda kid, jwk, good: jwt.encode(claims(), strange_key(), "ES256", {"typ": "at+jwt"}),
    "deep header": lambda kid, jwk, good: f"{base64.b64encode(b'{' + b'[' * 4_000).decode()}.e30.{'A' * 86}",
}


def pem(jwk: dict[str, Any]) -> bytes:
    key: Any = jwt.PyJWK(jwk).key
    encoded_key: bytes = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return encoded_key


@pytest.mark.security("RS-06", "RS-07")
@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
async def test_a_forged_token_is_refused(
    tokens: AccessTokens, keys: SigningKeys, forge: Callable[[str, dict[str, Any], str], str]
) -> None:
    good = await signed(keys, claims())
    jwk = (await keys.jwks(NOW))["keys"][0]
    forged = forge(jwk["kid"], jwk, good)

    accepted = looks_like_token(forged) and await tokens.verify(forged, NOW) is not None

    assert not accepted
    assert await tokens.verify(good, NOW) is not None


class Silent(KeysInMemory):
    """A store whose database is down."""

    async def revisions(self) -> Mapping[str, int]:
        raise StoreUnavailable("down")


@pytest.mark.security("AK-06")
async def test_a_store_that_gives_no_answer_is_no_verdict(keys: SigningKeys) -> None:
    token = await signed(keys, claims())

    with pytest.raises(StoreUnavailable):
        await AccessTokens(ring(Silent()), SETTINGS).verify(token, NOW)

"""The key ring: when a key is made, when it signs, how long it is published, and that processes agree."""

import asyncio
import hashlib
import json
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.primitives.clock import EPOCH
from oauth.primitives.sealing import Sealer
from oauth.signing_keys import AHEAD, SPAN, SigningKeys, public_jwk
from oauth.stores.accounts import SigningKeyStore
from oauth.stores.tables import signing_keys
from tests.oauth.delegating import NOW, SECRET, SETTINGS, KeysInMemory, ring

HOUR = timedelta(hours=1)
BEGIN = EPOCH + (NOW - EPOCH) // SPAN * SPAN
END = BEGIN + SPAN


async def kids(keys: SigningKeys, now: datetime) -> list[str]:
    return [key["kid"] for key in (await keys.jwks(now))["keys"]]


async def test_the_next_key_is_published_for_an_hour_at_least_before_it_signs() -> None:
    keys = ring()
    first = await keys.current(NOW)

    await keys.prepare(END - AHEAD - timedelta(seconds=1))
    assert await kids(keys, END - AHEAD) == [first.kid]
    await keys.prepare(END - AHEAD)
    published = await kids(keys, END - AHEAD)

    assert len(published) == 2
    assert AHEAD - HOUR >= HOUR, "the upkeep looks every hour"
    assert (await keys.current(END - timedelta(milliseconds=1))).kid == first.kid == published[0]
    assert (await keys.current(END)).kid == published[1]


async def test_a_key_is_published_until_its_last_token_has_expired_and_then_forgotten() -> None:
    store = KeysInMemory()
    keys = ring(store)
    first = await keys.current(NOW)
    last = END + SETTINGS.access

    assert first.kid in await kids(keys, last - timedelta(milliseconds=1))
    assert await keys.public(first.kid, last - timedelta(milliseconds=1)) is not None
    assert first.kid not in await kids(keys, last)
    assert await keys.public(first.kid, last) is None
    await keys.prepare(last)

    assert first.kid not in {key.kid for key in store.kept}


async def test_a_server_that_slept_through_the_change_signs_at_once_with_a_new_key() -> None:
    keys = ring()
    first = await keys.current(NOW)

    late = await keys.current(END + 5 * SPAN)

    assert late.kid != first.kid
    assert late.kid in await kids(keys, END + 5 * SPAN)


async def test_processes_that_begin_at_once_agree_on_one_key(engine: AsyncEngine) -> None:
    rings = [SigningKeys(SigningKeyStore(engine), Sealer(SECRET), SETTINGS) for _ in range(5)]

    signers = await asyncio.gather(*(keys.current(NOW) for keys in rings))

    assert len({signer.kid for signer in signers}) == 1
    assert {tuple(await kids(keys, NOW)) for keys in rings} == {(signers[0].kid,)}


async def test_the_private_half_is_sealed_in_the_store_and_in_nothing_that_is_shown(engine: AsyncEngine) -> None:
    keys = SigningKeys(SigningKeyStore(engine), Sealer(SECRET), SETTINGS)
    signer = await keys.current(NOW)
    number = signer.private.private_numbers().private_value

    async with engine.connect() as connection:
        row = (await connection.execute(select(signing_keys))).mappings().one()

    secret = urlsafe_b64encode(number.to_bytes(32)).decode().rstrip("=")
    assert secret not in str(dict(row))
    assert '"d"' not in row["public"]
    assert {"d"} & set((await keys.jwks(NOW))["keys"][0]) == set()
    assert str(number) not in repr(signer)


async def test_a_key_that_another_process_has_made_is_found_by_its_id() -> None:
    store = KeysInMemory()
    here, there = ring(store), ring(store)
    await here.jwks(NOW)
    await here.prepare(NOW)
    await there.prepare(END - HOUR)
    new = (await there.current(END)).kid

    assert await here.public(new, END) is not None


async def test_an_installation_that_lost_its_secret_gets_a_key_of_its_own_beside_the_old_one() -> None:
    store = KeysInMemory()
    old = await ring(store).current(NOW)
    other = SigningKeys(store, Sealer(SecretStr("quite another secret")), SETTINGS)

    new = await other.current(NOW)

    assert new.kid != old.kid
    assert await other.public(old.kid, NOW) is not None, "tokens that were signed before go on"
    assert (await other.current(NOW + HOUR)).kid == new.kid
    assert (await ring(store).current(NOW + HOUR)).kid == old.kid


@given(number=st.integers(min_value=1, max_value=2**200))
def test_the_published_key_is_whole_and_its_id_is_its_thumbprint(number: int) -> None:
    key = ec.derive_private_key(number, ec.SECP256R1()).public_key()

    jwk = public_jwk(key)

    assert set(jwk) == {"kty", "crv", "x", "y", "alg", "use", "kid"}
    assert {len(jwk["x"]), len(jwk["y"])} == {43}
    members = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    digest = hashlib.sha256(json.dumps(members, separators=(",", ":")).encode()).digest()
    assert jwk["kid"] == urlsafe_b64encode(digest).decode().rstrip("=")

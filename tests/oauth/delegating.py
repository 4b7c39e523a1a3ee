"""What tests of delegation start from: settings, a grant, stores in memory, and tokens that are really signed."""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Grant, SigningKey
from oauth.models import User
from oauth.primitives import scopes
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores.accounts import SIGNING_KEYS_REVISION, SigningKeyStore
from oauth.stores.grants import GrantStore
from oauth.stores.tables import grants

SITE = "https://minds.example"
SETTINGS = OAuthSettings(SITE, scopes.ALL)
SECRET = SecretStr("an installation's secret of enough length")
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
ADA = User("1f0c4a52-6c1f-4a6e-9d7a-3f1f5b0a7c11", "ada@example.com", NOW)
GRANT = Grant(
    id="6f1c1c0a-6a4e-4f6b-9a61-0f6a3b1c2d3e",
    user_id=ADA.id,
    client_id="https://claude.ai/oauth/client",
    client_name="Claude",
    redirect_host="claude.ai",
    scopes=frozenset({"sparks:read", "sparks:chat"}),
    resource=SETTINGS.resource,
    created_at=NOW,
    expires_at=NOW + timedelta(days=90),
)


class KeysInMemory(SigningKeyStore):
    """A signing key store without a database; two processes may share one."""

    def __init__(self) -> None:
        self.kept: list[SigningKey] = []
        self.reads = self.number = 0

    async def signing_keys(self, now: datetime) -> Sequence[SigningKey]:
        self.reads += 1
        return sorted((key for key in self.kept if now < key.published_until), key=lambda key: key.signs_from)

    async def add_signing_key(self, key: SigningKey) -> bool:
        if any(kept.signs_from == key.signs_from for kept in self.kept):
            return False
        self.kept.append(key)
        self.number += 1
        return True

    async def drop_signing_keys(self, now: datetime) -> int:
        before = len(self.kept)
        self.kept = [key for key in self.kept if now < key.published_until]
        return before - len(self.kept)

    async def revisions(self) -> Mapping[str, int]:
        return {SIGNING_KEYS_REVISION: self.number}


class GrantsInMemory(GrantStore):
    """A grant ring without a database, of grants that hold."""

    def __init__(self, *live: Grant) -> None:
        self.live = {one.id: one for one in live}

    async def find_live_grant(self, grant_id: str, _now: datetime) -> Grant | None:
        return self.live.get(grant_id)


def ring(store: KeysInMemory | None = None, *, settings: OAuthSettings = SETTINGS) -> SigningKeys:
    """The keys of one process."""
    return SigningKeys(store or KeysInMemory(), Sealer(SECRET), settings)


def claims(now: datetime = NOW, **changed: Any) -> dict[str, Any]:
    """The claims of a good token, some of them changed, or left out when None."""
    issued = int(now.timestamp())
    good = {
        "iss": SITE,
        "sub": GRANT.subject,
        "aud": SETTINGS.resource,
        "exp": issued + 3_600,
        "iat": issued,
        "jti": "one",
        "client_id": GRANT.client_id,
        "scope": "sparks:read",
        "grant_id": GRANT.id,
    }
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


async def signed(keys: SigningKeys, payload: Any, now: datetime = NOW, **header: Any) -> str:
    """A token that the key ring itself signed, whatever it says: no library would write some of them."""
    signer = await keys.current(now)
    head = {"alg": "ES256", "typ": "at+jwt", "kid": signer.kid, **header}
    said = {name: value for name, value in head.items() if value is not None}
    start = f"{encoded(said)}.{payload if isinstance(payload, str) else encoded(payload)}"
    signature = jwt.get_algorithm_by_name("ES256").sign(start.encode(), signer.private)
    return f"{start}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def encoded(value: Any) -> str:
    """JSON in base64url, as a part of a token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def strange_key() -> ec.EllipticCurvePrivateKey:
    """A key that nobody has published."""
    return ec.generate_private_key(ec.SECP256R1())


async def keep_grant(engine: AsyncEngine, grant: Grant) -> None:
    """Put a grant into the database, as an approval does."""
    row = {column.name: getattr(grant, column.name, None) for column in grants.c}
    async with engine.begin() as connection:
        await connection.execute(insert(grants).values(**row))

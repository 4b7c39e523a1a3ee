"""Access tokens at `/mcp`, through the whole edge: beside keys, judged as strictly, ended as fast."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from app.authentication import GatewayAuthenticator
from app.composition import Parts
from app.settings import Settings
from app.storage.engine import open_engine
from oauth.access_tokens import AccessTokens
from oauth.credentials import ByForm, StoredKeys, StoredTokens
from oauth.flows.accounts import disable_user
from oauth.grants import Grant
from oauth.primitives.clock import utc_now
from oauth.primitives.scopes import ALL
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys
from oauth.stores.accounts import AccountStore, SigningKeyStore
from oauth.stores.base import GRANTS_REVISION, Store, announce
from oauth.stores.grants import GrantStore
from oauth.stores.tables import grants
from oauth.verifier import Verifier
from tests.app.http.test_authentication import until_refused
from tests.edge import ERAS, READ, SITE, Edge, Stage, running, settings_for, toolset, within
from tests.oauth.delegating import ADA, GRANT, claims, keep_grant, signed


@dataclass
class Clock:
    """The time of day, which a test may advance."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


class Gatehouse:
    """Verification as the product composes it, on the database of `settings`."""

    def __init__(self, settings: Settings, stage: Stage) -> None:
        self.settings, self.stage, self.clock = settings, stage, Clock()
        self.engine: AsyncEngine = open_engine(settings.database)
        oauth = OAuthSettings(settings.site_url, ALL)
        self.keys = SigningKeys(SigningKeyStore(self.engine), Sealer(SecretStr("s" * 64)), oauth)
        self.access = AccessTokens(self.keys, oauth)
        self.stored = (
            StoredKeys(AccountStore(self.engine)),
            StoredTokens(self.access, GrantStore(self.engine), self.clock),
        )
        authority = ByForm(keys=self.stored[0], tokens=self.stored[1])
        self.verifier = Verifier(authority, self.keys.revisions, notice_every=0.02, wall=self.clock)
        self.edge: Edge

    @property
    def parts(self) -> Parts:
        return Parts([toolset(self.stage)], GatewayAuthenticator(self.verifier, self.settings.resource).caller)

    async def grant(self, **changed: Any) -> Grant:
        """A new account's grant for `/mcp`, changed as the test wants."""
        user = replace(ADA, id=changed.pop("user_id", ADA.id), created_at=utc_now())
        store = AccountStore(self.engine)
        if await store.find_user(user.email) is None:
            await store.add_user(user)
        life = {"created_at": utc_now(), "expires_at": utc_now() + timedelta(days=1)}
        grant = replace(GRANT, resource=self.settings.resource, scopes=ALL, **{**life, **changed})
        await keep_grant(self.engine, grant)
        return grant

    async def token(self, grant: Grant, scopes: frozenset[str] = READ) -> str:
        return (await self.access.issue(grant, scopes, self.clock()))[0]

    async def signed(self, grant: Grant, header: dict[str, Any], **changed: Any) -> str:
        said = {"iss": SITE, "aud": self.settings.resource, "grant_id": grant.id, **changed}
        return await signed(self.keys, claims(self.clock(), **said), self.clock(), **header)

    async def revoke(self, grant: Grant) -> None:
        """As another process does."""
        async with Store(self.engine).writing() as connection:
            await connection.execute(update(grants).where(grants.c.id == grant.id).values(revoked_at=utc_now()))
            await announce(connection, GRANTS_REVISION)


@asynccontextmanager
async def opened(folder: Path, **more: Any) -> AsyncIterator[Gatehouse]:
    stage = Stage()
    house = Gatehouse(settings_for(folder, **more), stage)
    async with running(house.settings, house.parts) as house.edge:
        house.edge.stage = stage
        yield house
    await house.engine.dispose()


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gatehouse]:
    async with opened(tmp_path_factory.mktemp("tokens")) as house:
        yield house


@pytest.fixture(scope="module")
async def grant(house: Gatehouse) -> Grant:
    return await house.grant()


@pytest.fixture(scope="module")
async def token(house: Gatehouse, grant: Grant) -> str:
    return await house.token(grant)


@pytest.mark.requirement("seed:gateway:http-bearer-oauth")
@pytest.mark.security("RS-20", "AK-01")
@pytest.mark.parametrize("era", ERAS)
async def test_a_token_and_a_key_may_call_at_the_same_endpoint(house: Gatehouse, token: str, era: str) -> None:
    answers = [await house.edge.call("private", era=era, key=key) for key in (token, house.edge.key)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["result"]["structuredContent"] for answer in answers] == [{"text": "secret"}] * 2


@pytest.mark.security("RS-09")
@pytest.mark.parametrize(
    "changed",
    [
        {"aud": f"{SITE}/api/v1"}, {"aud": f"{SITE}/mcp/"}, {"aud": None}, {"aud": [f"{SITE}/mcp"]},
        {"iss": "https://other.example"}, {"iss": None}, {"exp": 1}, {"exp": None}, {"nbf": 2**40},
        {"sub": "eve"}, {"sub": None}, {"client_id": "other"}, {"grant_id": "other"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("tool", ["private", "say"])
async def test_a_really_signed_token_with_another_claim_is_a_401_also_for_a_public_tool(
    house: Gatehouse, grant: Grant, changed: dict[str, Any], tool: str
) -> None:
    response = await house.edge.call(tool, key=await house.signed(grant, {}, **changed))

    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith('Bearer error="invalid_token"')


@pytest.mark.security("RS-04", "RS-17")
async def test_what_is_nearly_a_token_is_a_401_and_the_server_lives(house: Gatehouse, token: str) -> None:
    head, body, end = token.split(".")
    misses = [
        token[:-1], token + "A", token + ".", f"{head}..{end}", f".{body}.{end}", f"{head}.{body}.", f"{head}.{body}",
        token.upper(), token[::-1], token.replace(".", "_"), f"{head}.{body[:-4]}.{end}",
        f"{head}.{'x' * 60_000}.{end}",
    ]  # fmt: skip

    statuses = [(await house.edge.call("private", key=miss)).status_code for miss in misses]

    assert statuses == [401] * len(misses)
    assert (await house.edge.call("private", key=token)).status_code == 200


@pytest.mark.security("RS-18")
async def test_each_call_is_told_with_the_account_and_the_client_wherever_it_comes_from(
    house: Gatehouse, token: str
) -> None:
    with capture_logs() as lines:
        for number in range(20):
            await house.edge.call("private", key=token, headers={"x-forwarded-for": f"198.51.100.{number}"})

    told = [(line["subject"], line["client"]) for line in lines if line["event"] == "tool_success"]
    assert told == [(ADA.id, GRANT.client_id)] * 20
    assert token not in str(lines)


@pytest.mark.security("AK-04")
@pytest.mark.parametrize("end", ["grant", "account"])
async def test_a_token_ends_with_its_grant_and_with_its_account(tmp_path: Path, end: str) -> None:
    async with opened(tmp_path) as house:
        grant = await house.grant()
        token = await house.token(grant)
        accepted = await house.edge.call("private", key=token)

        if end == "grant":
            await house.revoke(grant)
        else:
            await disable_user(AccountStore(house.engine), ADA.email, utc_now())
        refused = await until_refused(house.edge, token)
        others = await house.edge.call("private", key=house.edge.key)

    assert (accepted.status_code, refused, others.status_code) == (200, 401, 200)


@pytest.mark.security("RS-05")
@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_has_begun_ends_in_its_deadline_and_the_next_one_is_a_401(tmp_path: Path, era: str) -> None:
    async with opened(tmp_path) as house:
        token = await house.token(await house.grant())
        calling = asyncio.create_task(house.edge.call("wait", {"word": "late"}, era=era, key=token))
        await within(house.stage.started["late"].wait())

        house.clock.ahead = timedelta(hours=1)
        house.stage.released["late"].set()
        begun, following = await within(calling), await house.edge.call("say", era=era, key=token)

    assert (begun.status_code, following.status_code) == (200, 401)
    assert following.headers["www-authenticate"].startswith('Bearer error="invalid_token"')


@pytest.mark.security("RV-10")
@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_has_begun_finishes_when_its_grant_is_revoked_and_the_next_one_is_a_401(
    tmp_path: Path, era: str
) -> None:
    """What was allowed when it began may end: its effects are under way, and its answer goes to who asked."""
    async with opened(tmp_path) as house:
        grant = await house.grant()
        token = await house.token(grant)
        calling = asyncio.create_task(house.edge.call("wait", {"word": "late"}, era=era, key=token))
        await within(house.stage.started["late"].wait())

        await house.revoke(grant)
        house.verifier.look()
        following = await house.edge.call("say", era=era, key=token)
        house.stage.released["late"].set()
        begun = await within(calling)

    assert (begun.status_code, following.status_code) == (200, 401)


@pytest.mark.security("CB-09")
@pytest.mark.parametrize("kind", ["opaque", "jwt"])
async def test_the_token_of_an_identity_provider_is_no_token_of_ours(house: Gatehouse, kind: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    says = {"iss": "https://id.example.com", "aud": house.settings.resource, "sub": ADA.id, "exp": utc_now(), "iat": 0}
    theirs = jwt.encode(says, key, "ES256", {"typ": "at+jwt"}) if kind == "jwt" else "ya29.a0AfH6SMBx-opaque-token"

    answer = await house.edge.call("private", key=theirs)

    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.security("DI-25")
async def test_after_a_move_the_tokens_of_the_old_issuer_are_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as house:
        grant = await house.grant()
        token = await house.token(grant)
        before = await house.edge.call("private", key=token)
    async with opened(tmp_path, site_url="https://moved.example") as house:
        after = await house.edge.call("private", key=token)

    assert (before.status_code, after.status_code) == (200, 401)
    assert "https://moved.example/.well-known/" in after.headers["www-authenticate"]

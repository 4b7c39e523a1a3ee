"""Keys and access tokens through one verifier: a minute's memory, never past the expiry, ended by a revocation."""

from dataclasses import replace

import pytest

from oauth.access_tokens import AccessTokens
from oauth.credentials import ByForm, StoredTokens
from oauth.maintenance import Maintenance
from oauth.stores.live_grants import OwnedGrant
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, START, Authority, Time, who
from tests.oauth.delegating import ADA, GRANT, SETTINGS, GrantsInMemory, KeysInMemory, ring

OTHER = replace(GRANT, id="other", client_id="https://chatgpt.com/oauth/client.json")


class Process:
    """One server process on a store that others may share."""

    def __init__(self, grants: GrantsInMemory, keys: KeysInMemory, time: Time) -> None:
        self.ring = ring(keys)
        self.access = AccessTokens(self.ring, SETTINGS)
        self.tokens = StoredTokens(self.access, grants, time.wall)
        authority = ByForm(keys=Authority({KEY: who()}), tokens=self.tokens)
        self.verifier = Verifier(authority, clock=time.clock, wall=time.wall)


@pytest.fixture
def grants() -> GrantsInMemory:
    return GrantsInMemory(OwnedGrant(GRANT, ADA), OwnedGrant(OTHER, ADA))


@pytest.fixture
def keys() -> KeysInMemory:
    return KeysInMemory()


@pytest.fixture
def process(grants: GrantsInMemory, keys: KeysInMemory, time: Time) -> Process:
    return Process(grants, keys, time)


@pytest.fixture
async def token(process: Process) -> str:
    return (await process.access.issue(GRANT, GRANT.scopes, START))[0]


@pytest.mark.security("AK-01", "RS-20")
async def test_keys_and_tokens_are_verified_side_by_side(process: Process, token: str) -> None:
    kinds = [verified and verified.kind for verified in [await process.verifier.verify(one) for one in (KEY, token)]]

    assert kinds == ["api_key", "access_token"]


@pytest.mark.requirement("seed:gateway:cache-token-oauth")
@pytest.mark.requirement("seed:gateway:cache-token")
async def test_a_token_is_asked_about_once_a_minute(
    process: Process, grants: GrantsInMemory, token: str, time: Time
) -> None:
    for time.passed in (0, 1, 59.9):
        assert await process.verifier.verify(token) is not None
    assert grants.asked == 1

    time.passed = 60
    assert await process.verifier.verify(token) is not None

    assert grants.asked == 2


@pytest.mark.security("RS-05")
async def test_a_remembered_token_ends_at_its_expiry(
    process: Process, grants: GrantsInMemory, token: str, time: Time
) -> None:
    time.passed = 3_590
    assert await process.verifier.verify(token) is not None
    time.passed = 3_599.9
    assert await process.verifier.verify(token) is not None

    time.passed = 3_600

    assert await process.verifier.verify(token) is None
    assert grants.asked == 1


@pytest.mark.parametrize("ended", [GRANT.id, GRANT.client_id])
async def test_a_revocation_acts_at_once_where_it_is_made_and_on_nothing_else(
    process: Process, grants: GrantsInMemory, token: str, ended: str
) -> None:
    other, _ = await process.access.issue(OTHER, OTHER.scopes, START)
    for bearer in (token, other, KEY):
        await process.verifier.verify(bearer)

    grants.revoke(GRANT.id, START)
    process.verifier.forget(ended)

    assert [await process.verifier.verify(bearer) is not None for bearer in (token, other, KEY)] == [False, True, True]
    assert grants.asked == 3


async def test_an_account_that_is_forgotten_is_asked_about_with_all_its_tokens(
    process: Process, grants: GrantsInMemory, token: str
) -> None:
    await process.verifier.verify(token)
    grants.owned[GRANT.id] = OwnedGrant(GRANT, replace(ADA, disabled_at=START))

    process.verifier.forget(ADA.id)

    assert await process.verifier.verify(token) is None


@pytest.mark.security("AK-04")
async def test_a_revocation_by_another_process_is_noticed_at_the_next_look(
    process: Process, grants: GrantsInMemory, token: str
) -> None:
    upkeep = Maintenance(process.verifier, process.tokens)
    await upkeep.notice()
    assert await process.verifier.verify(token) is not None

    grants.revoke(GRANT.id, START)
    assert await process.verifier.verify(token) is not None, "remembered until somebody looks"
    await upkeep.notice()

    assert await process.verifier.verify(token) is None

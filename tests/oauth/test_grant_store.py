"""When a grant still carries its tokens."""

from dataclasses import replace
from datetime import timedelta

import pytest

from oauth.stores.live_grants import OwnedGrant
from tests.oauth.delegating import ADA, GRANT, NOW


def test_a_grant_carries_its_tokens_while_it_and_its_account_live() -> None:
    assert OwnedGrant(GRANT, ADA).is_live(NOW)


def test_a_client_that_acts_for_itself_needs_no_account() -> None:
    assert OwnedGrant(replace(GRANT, user_id=None), None).is_live(NOW)


@pytest.mark.parametrize(
    "owned",
    [
        OwnedGrant(replace(GRANT, revoked_at=NOW), ADA),
        OwnedGrant(replace(GRANT, expires_at=NOW), ADA),
        OwnedGrant(GRANT, replace(ADA, disabled_at=NOW)),
        OwnedGrant(GRANT, None),
        OwnedGrant(replace(GRANT, user_id=None, revoked_at=NOW), None),
    ],
    ids=["revoked", "expired", "account disabled", "account gone", "client's own, revoked"],
)
def test_a_grant_that_has_ended_carries_nothing(owned: OwnedGrant) -> None:
    assert not owned.is_live(NOW + timedelta(milliseconds=1))

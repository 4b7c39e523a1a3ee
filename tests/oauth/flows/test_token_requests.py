"""What the flows of the token endpoint share."""

from datetime import datetime, timedelta

import pytest

from oauth.flows.token_requests import new_refresh_token
from oauth.primitives.secrets import digest, looks_like_key
from tests.oauth.delegations import grant_of
from tests.oauth.token_house import SETTINGS


def test_a_refresh_token_is_recognised_and_kept_as_its_digest(now: datetime) -> None:
    secret, kept = new_refresh_token(grant_of(None, now), SETTINGS, now)

    assert secret.startswith("minds_rt_")
    assert not looks_like_key(secret)
    assert kept.digest == digest(secret)
    assert secret not in repr(kept)


@pytest.mark.security("RF-11")
def test_a_refresh_token_slides_within_the_life_of_its_family(now: datetime) -> None:
    grant = grant_of(None, now, expires_at=now + timedelta(days=31))

    ends = [new_refresh_token(grant, SETTINGS, now + timedelta(days=days))[1].expires_at for days in (0, 1, 2, 30)]

    assert ends == [now + timedelta(days=30), *[grant.expires_at] * 3]

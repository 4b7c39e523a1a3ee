"""What is remembered of a consent, on both databases: the newest decision, for its time, for one redirect host."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.grants import Consent
from oauth.models import User
from oauth.stores.sessions import ConsentStore
from oauth.stores.tables import consents

HOST = "app.example"
READ, WRITE = "sparks:read", "sparks:write"


@pytest.fixture
def remembered(engine: AsyncEngine) -> ConsentStore:
    return ConsentStore(engine)


@pytest.fixture
def consent(ada: User, now: datetime) -> Consent:
    return Consent(ada.id, "app", HOST, frozenset({READ, WRITE}), now, now + timedelta(days=90))


async def test_the_newest_decision_takes_the_place_of_the_one_before(
    remembered: ConsentStore, consent: Consent, now: datetime
) -> None:
    narrower = replace(consent, scopes=frozenset({READ}), granted_at=now + timedelta(days=1))

    await remembered.keep_consent(consent)
    await remembered.keep_consent(narrower)

    assert await remembered.find_consent(consent.user_id, "app", HOST, now) == narrower


async def test_tabs_that_are_answered_at_once_leave_one_row(
    remembered: ConsentStore, consent: Consent, engine: AsyncEngine
) -> None:
    await asyncio.gather(*(remembered.keep_consent(consent) for _ in range(8)))

    async with engine.connect() as connection:
        assert (await connection.execute(select(func.count()).select_from(consents))).scalar_one() == 1


async def test_a_forgotten_client_is_asked_about_at_every_host_again(
    remembered: ConsentStore, consent: Consent, now: datetime
) -> None:
    await remembered.keep_consent(consent)
    await remembered.keep_consent(replace(consent, redirect_host="b.example"))
    await remembered.keep_consent(replace(consent, client_id="other"))

    await remembered.forget_consents(consent.user_id, "app")

    assert await remembered.find_consent(consent.user_id, "app", HOST, now) is None
    assert await remembered.find_consent(consent.user_id, "app", "b.example", now) is None
    assert await remembered.find_consent(consent.user_id, "other", HOST, now) is not None

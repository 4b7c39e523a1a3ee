"""So many failures, then a pause that ends by itself."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import TooManyRequests
from oauth.flows.sign_in import Throttle
from oauth.stores.sessions import FailureStore

WINDOW = timedelta(minutes=10)


@pytest.fixture
def throttle(engine: AsyncEngine) -> Throttle:
    return Throttle(FailureStore(engine), limit=3, window=WINDOW)


async def test_of_many_attempts_at_once_no_more_than_the_limit_get_through(throttle: Throttle, now: datetime) -> None:
    outcomes = await asyncio.gather(*(throttle.attempt("here", now) for _ in range(12)), return_exceptions=True)

    assert sum(outcome is None for outcome in outcomes) <= 3
    assert all(outcome is None or isinstance(outcome, TooManyRequests) for outcome in outcomes)

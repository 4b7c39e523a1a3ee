"""The one fixture of the embedded API's tests."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.app.internal_api.support import World


@pytest.fixture
def world(engine: AsyncEngine) -> World:
    return World(engine)

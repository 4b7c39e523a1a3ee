"""Fixtures of the embedded API's tests."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.knowledge.embeddings import Embedder
from tests.app.internal_api.support import World


@pytest.fixture
def world(engine: AsyncEngine) -> World:
    return World(engine)


@pytest.fixture(scope="session")
def embed() -> Embedder:
    """The encoder of the extra `embeddings`, where that is installed."""
    found = Embedder.installed()
    if found is None:
        pytest.skip("the extra is not installed")
    return found

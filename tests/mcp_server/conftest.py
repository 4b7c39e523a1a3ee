"""What the gateway's tests may ask for: a network that answers nothing yet, and a gateway with fixture tools."""

import pytest

from tests.edge import edge
from tests.socket_client import server
from tests.support import FakeApi

__all__ = ["edge", "server"]


@pytest.fixture
def api() -> FakeApi:
    """A network on which nothing answers yet."""
    return FakeApi()

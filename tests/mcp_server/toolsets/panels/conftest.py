"""An internal API that tells what is documented, in both dialects."""

import pytest

from tests.mcp_server.toolsets.panels.spoken import DIALECTS, SpokenApi


@pytest.fixture(params=DIALECTS)
def api(request: pytest.FixtureRequest) -> SpokenApi:
    """A network on which nothing answers yet."""
    return SpokenApi(request.param)

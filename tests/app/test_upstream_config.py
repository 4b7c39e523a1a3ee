"""The way to the internal API, as the settings want it."""

from pathlib import Path

import pytest

from app.upstream_config import account_url, api_url, mcp_settings
from tests.edge import settings_for


@pytest.mark.security("RS-29")
async def test_the_embedded_api_is_reached_over_loopback_whatever_the_public_name() -> None:
    settings = settings_for(Path("var"), site_url="https://mcp.example.com", port=9123)

    assert api_url(settings) == "http://127.0.0.1:9123"
    assert api_url(settings_for(Path("var"), mindsai_api_url="https://getminds.ai")) == "https://getminds.ai"


def test_the_tools_get_their_half_of_the_settings() -> None:
    given = mcp_settings(settings_for(Path("var"), timeout_chat=7, breaker_failures=3))

    assert (given.timeout_chat, given.breaker_failures) == (7, 3)


def test_people_link_their_keys_at_the_public_address() -> None:
    assert (
        account_url(settings_for(Path("var"), site_url="https://gateway.example")) == "https://gateway.example/account"
    )

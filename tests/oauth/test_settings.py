"""Addresses come from one setting."""

import pytest

from oauth.settings import OAuthSettings


@pytest.mark.parametrize(("site", "https"), [("https://gw.example.com", True), ("http://127.0.0.1:8000", False)])
def test_the_issuer_is_the_site_and_the_resource_is_its_endpoint(site: str, https: bool) -> None:
    settings = OAuthSettings(site, frozenset())

    assert (settings.issuer, settings.resource, settings.is_https) == (site, f"{site}/mcp", https)

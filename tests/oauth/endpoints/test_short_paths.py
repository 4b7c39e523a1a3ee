"""The addresses that people know lead to the pages."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from oauth.endpoints.authorize import short_routes


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("/login", "/oauth/login"),
        ("/login?continue=a%20b", "/oauth/login?continue=a%20b"),
        ("/consent?request=x", "/oauth/consent?request=x"),
    ],
)
def test_a_short_address_leads_to_the_page_with_its_parameters(short: str, full: str) -> None:
    client = TestClient(Starlette(routes=short_routes()), follow_redirects=False)

    answer = client.get(short)

    assert (answer.status_code, answer.headers["location"]) == (303, full)

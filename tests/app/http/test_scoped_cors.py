"""Other origins' pages may call the tools, and may read nothing that answers to a cookie."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from app.http.scoped_cors import PAGES, ScopedCorsMiddleware

ORIGIN = "https://chatgpt.com"


@pytest.fixture
def client() -> TestClient:
    async def say(_request: Request) -> Response:
        return PlainTextResponse("said")

    options = {"allow_origins": [ORIGIN], "allow_methods": ["POST"]}
    cors = Middleware(ScopedCorsMiddleware, without=PAGES, options=options)
    return TestClient(Starlette(routes=[Route("/{path:path}", say, methods=["GET", "POST"])], middleware=[cors]))


@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/oauth/device_authorization", "/accounts"])
def test_what_may_be_called_says_so_to_an_allowed_origin(client: TestClient, path: str) -> None:
    preflight = client.options(path, headers={"origin": ORIGIN, "access-control-request-method": "POST"})

    assert client.post(path, headers={"origin": ORIGIN}).headers["access-control-allow-origin"] == ORIGIN
    assert preflight.status_code == 200


@pytest.mark.security("CB-13")
@pytest.mark.parametrize("path", [*PAGES, "/account/keys", "/oauth/callback/supabase", "/oauth/login/oidc"])
def test_a_page_has_no_cors_header_even_for_an_allowed_origin(client: TestClient, path: str) -> None:
    preflight = client.options(path, headers={"origin": ORIGIN, "access-control-request-method": "POST"})

    for answer in (client.get(path, headers={"origin": ORIGIN}), preflight):
        assert not [name for name in answer.headers if name.startswith("access-control")]

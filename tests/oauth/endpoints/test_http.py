"""Parameters in, JSON or a refusal out."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from oauth.endpoints import http
from oauth.errors import InvalidClient, StoreUnavailable, TooManyRequests


async def echo(request: Request) -> Response:
    if "fail" in request.query_params:
        raise {"store": StoreUnavailable("secret words of the database"), "client": InvalidClient("Who are you?")}[
            request.query_params["fail"]
        ]
    if "busy" in request.query_params:
        raise TooManyRequests("Wait a little.", 7)
    parameters = await http.form(request) if request.method == "POST" else http.query(request)
    return http.answer({**parameters, "from": http.client_address(request)})


async def challenged(request: Request) -> Response:
    return http.answer({"authorization": http.authorization(request)})


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/", http.speaks_json(echo), methods=["GET", "POST"]), http.post("/open", challenged)]
    return TestClient(Starlette(routes=routes))


def test_no_answer_may_be_kept_nor_read_by_any_page(client: TestClient) -> None:
    headers = client.get("/").headers

    assert (headers["cache-control"], headers.get("access-control-allow-origin")) == ("no-store", None)


@pytest.mark.security("HD-05")
def test_a_body_that_is_too_large_is_refused_in_the_words_of_oauth_and_kept_nowhere(client: TestClient) -> None:
    refused = client.post("/", content=b"a" * (http.MAX_FORM_BYTES + 1), headers={"content-type": http.FORM})

    assert (refused.status_code, refused.json()["error"]) == (413, "invalid_request")
    assert refused.headers["cache-control"] == "no-store"


def test_a_store_without_an_answer_is_a_503_that_quotes_nothing(client: TestClient) -> None:
    refused = client.get("/?fail=store")

    assert (refused.status_code, refused.json()["error"]) == (503, "temporarily_unavailable")
    assert "database" not in refused.text
    assert int(refused.headers["retry-after"]) > 0


def test_who_must_wait_is_told_how_long(client: TestClient) -> None:
    refused = client.get("/?busy=1")

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")

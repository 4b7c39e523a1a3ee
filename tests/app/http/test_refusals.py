"""How a refusal looks from outside, in both eras, wherever it was raised."""

import asyncio
from pathlib import Path

import httpx2
import pytest
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs

from app.composition import Parts
from app.http.refusals import ForbiddenOrigin, MisdirectedRequest, Refusals, RequestTimeout
from app.http.request_context import RequestContextMiddleware
from app.metrics.metrics import Metrics
from mcp_server import errors
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import Caller
from mcp_server.observability.logging import add_request
from mcp_server.protocol.envelope import BodyTooLarge
from oauth.endpoints.pages import Pages
from tests.edge import ERAS, LEGACY, SITE, Edge, Stage, messages, refusal, running, settings_for, toolset
from tests.html_pages import HtmlPage

METADATA = f"{SITE}/.well-known/oauth-protected-resource/mcp"
SCOPES = 'scope="a:read b:write"'
REFUSALS = Refusals(METADATA, Pages(), ["b:write", "a:read"])
NAMED = f'Bearer resource_metadata="{METADATA}"'

TABLE = {
    "authentication": (401, -32001, "AUTHENTICATION_REQUIRED"),
    "rate": (429, -32002, "RATE_LIMIT_EXCEEDED"),
    "missing": (404, -32003, "RESOURCE_NOT_FOUND"),
    "permission": (403, -32004, "PERMISSION_DENIED"),
    "timeout": (504, -32005, "TIMEOUT"),
    "unavailable": (503, -32006, "SERVICE_UNAVAILABLE"),
    "breaker": (503, -32008, "CIRCUIT_BREAKER_OPEN"),
}
PASSING = {"rate": "17", "breaker": "13"}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", TABLE)
async def test_a_refusal_has_status_and_code_of_the_era_and_says_when_it_passes(
    edge: Edge, kind: str, era: str
) -> None:
    status, code, name = TABLE[kind]

    response = await edge.call("refuse", {"kind": kind}, era=era)

    assert refusal(response) == (status, code if era == LEGACY else status)
    assert response.json()["error"]["data"]["code"] == name
    assert response.json()["id"] == 1
    if kind in PASSING:
        assert response.headers["retry-after"] == str(response.json()["error"]["data"]["retryAfter"]) == PASSING[kind]


@pytest.mark.requirement("seed:gateway:error-challenge")
@pytest.mark.parametrize("era", ERAS)
async def test_a_401_or_403_from_inside_a_tool_has_its_challenge(edge: Edge, era: str) -> None:
    unknown = await edge.call("refuse", {"kind": "authentication"}, era=era)
    narrow = await edge.call("refuse", {"kind": "permission"}, era=era)

    assert unknown.headers.get_list("www-authenticate") == [
        f'Bearer resource_metadata="{METADATA}", scope="sparks:read"'
    ]
    assert narrow.headers["www-authenticate"].startswith('Bearer error="insufficient_scope"')
    assert 'scope="sparks:write"' in narrow.headers["www-authenticate"]
    assert unknown.headers["cache-control"] == narrow.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("era", ERAS)
async def test_what_the_model_can_mend_is_a_result_and_no_error(edge: Edge, era: str) -> None:
    response = await edge.call("fail", era=era)

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "not_found"
    assert result["content"][0]["text"].startswith("not_found: ")


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_takes_too_long_is_a_timeout(edge: Edge, era: str) -> None:
    response = await edge.call("hurry", era=era)

    assert response.status_code == 504
    assert response.json()["error"]["data"]["code"] == "TIMEOUT"


@pytest.mark.requirement("seed:gateway:error-internal", "seed:kb:internal-error")
@pytest.mark.security("HD-06")
@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_shows_nothing_but_the_request_id_that_is_in_the_log(edge: Edge, era: str) -> None:
    with capture_logs(processors=[add_request]) as lines:
        response = await edge.call("crash", {"text": "the-inside"}, era=era, headers={"x-request-id": "find-me"})

    assert refusal(response) == (500, -32603)
    assert response.headers["x-request-id"] == response.json()["error"]["data"]["requestId"] == "find-me"
    assert "the-inside" not in response.text
    assert "ZeroDivision" not in response.text
    crashed = [line for line in lines if line["event"] == "tool_crashed"]
    assert [(line["log_level"], line["request_id"]) for line in crashed] == [("error", "find-me")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_after_progress_is_the_last_event_of_the_stream(edge: Edge, era: str) -> None:
    response = await edge.call("count", {"to": "x"}, era=era, token="t")
    stumbled = await edge.call("stumble", era=era, token="t")

    assert messages(response)[-1]["result"]["isError"] is True
    assert stumbled.status_code == 200
    assert messages(stumbled)[-1]["error"]["code"] == -32603
    assert "the-inside" not in stumbled.text


async def broken(bearer: str) -> Caller | None:
    raise ZeroDivisionError(f"the-inside {bearer}")


@pytest.mark.security("HD-06", "OR-09")
@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_of_the_edge_itself_is_answered_like_a_tools(tmp_path: Path, era: str) -> None:
    async with running(settings_for(tmp_path), Parts(toolsets=[toolset(Stage())], authenticate=broken)) as edge:
        with capture_logs() as lines:
            response = await edge.rpc(
                "tools/list", era=era, key=edge.key, headers={"origin": "https://claude.ai", "x-request-id": "find-me"}
            )

    assert refusal(response) == (500, -32603)
    assert "the-inside" not in response.text
    assert response.headers["x-request-id"] == response.json()["error"]["data"]["requestId"] == "find-me"
    assert response.headers["access-control-allow-origin"] == "https://claude.ai"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert [line["log_level"] for line in lines if line["event"] == "request_crashed"] == ["error"]


@pytest.mark.parametrize(
    ("refused", "challenge"),
    [
        (errors.Timeout(), None),
        (errors.ResourceNotFound(), None),
        (errors.AuthenticationRequired(), f"{NAMED}, {SCOPES}"),
        (
            errors.AuthenticationRequired("No good", invalid_token=True),
            f'Bearer error="invalid_token", error_description="No good", {NAMED.removeprefix("Bearer ")}, {SCOPES}',
        ),
        (
            errors.PermissionDenied("No", scopes=["x"]),
            f'Bearer error="insufficient_scope", error_description="No", {NAMED.removeprefix("Bearer ")}, scope="x"',
        ),
    ],
)
def test_a_challenge_is_of_a_401_or_403_and_names_an_error_only_of_what_was_sent(
    refused: errors.GatewayError, challenge: str | None
) -> None:
    assert REFUSALS.headers(refused).get("www-authenticate") == challenge


@pytest.mark.parametrize(("path", "flat"), [("/api/v1/minds", True), ("/api/v1/a%00b", True), ("/mcp", False)])
@pytest.mark.parametrize("refused", [ForbiddenOrigin(), MisdirectedRequest(), errors.GatewayError()])
async def test_the_edge_refuses_the_embedded_apis_clients_in_their_own_envelope(
    path: str, flat: bool, refused: errors.GatewayError
) -> None:
    response = await answered(refused, path)

    body, url = response.json(), path.replace("%00", "\0")
    assert response.status_code == refused.http_status
    assert ("jsonrpc" in body) is not flat
    if flat:
        told = {"statusMessage": refused.message, "message": refused.message, "url": url, "error": True}
        assert body == {"statusCode": refused.http_status, **told, "data": {"code": refused.name}}


@pytest.mark.parametrize("path", ["/mcp", "/api/v1/minds", "/oauth/token", "/exports/a"])
async def test_who_is_cut_off_at_the_end_of_the_server_is_told_so_and_when_to_come_back(path: str) -> None:
    begun = asyncio.Event()

    async def take_long(scope: Scope, receive: Receive, send: Send) -> None:
        begun.set()
        await asyncio.Event().wait()

    edge = RequestContextMiddleware(take_long, REFUSALS, Metrics(), Recorder())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=edge), base_url=SITE) as client:
        asking = asyncio.create_task(client.get(path))
        await begun.wait()
        asking.cancel()  # the server cancels the task of a request
        response = await asking

    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert "restarted" in response.text or response.json()["error"] == "temporarily_unavailable"


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/oauth/login", "/oauth/login"),
        ("/oauth/consent", "/"),
        ("/oauth/device", "/oauth/device"),
        ("/account", "/account"),
        ("/account/keys", "/account"),
        ("/connect", "/"),
    ],
)
async def test_a_form_from_another_site_is_refused_in_words_for_a_person(edge: Edge, path: str, back: str) -> None:
    response = await edge.client.post(path, data={"a": "b"}, headers={"origin": "https://evil.example"})

    assert response.status_code == 403
    assert response.headers["content-type"].startswith("text/html")
    assert "did not come from a page of this site" in response.text
    assert HtmlPage(response.text).links == [back]
    assert "jsonrpc" not in response.text
    assert "frame-ancestors" in response.headers["content-security-policy"]


OAUTH_WORDS = [
    (BodyTooLarge(), "invalid_request"),
    (RequestTimeout(), "invalid_request"),
    (ForbiddenOrigin(), "invalid_request"),
    (errors.RateLimitExceeded(1), "temporarily_unavailable"),
    (errors.ServiceUnavailable(), "temporarily_unavailable"),
    (errors.GatewayError(), "server_error"),
]


@pytest.mark.security("HD-05")
@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/introspect"])
@pytest.mark.parametrize(("refused", "word"), OAUTH_WORDS)
async def test_an_oauth_client_is_refused_in_the_words_of_oauth_which_nobody_keeps(
    path: str, refused: errors.GatewayError, word: str
) -> None:
    response = await answered(refused, path)

    assert (response.status_code, response.json()["error"]) == (refused.http_status, word)
    description = response.json()["error_description"]
    assert description.isascii()
    assert not {*'"\\'} & {*description}  # RFC 6749 section 5.2
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/accounts", "/livez", "/exports/x", "/.well-known/jwks.json", "/mcpx"])
async def test_anybody_else_is_refused_in_a_sentence(path: str) -> None:
    response = await answered(ForbiddenOrigin(), path)

    assert response.status_code == 403
    assert response.headers["content-type"].startswith("text/plain")
    assert response.text == f"{ForbiddenOrigin.title}.\n"


async def answered(refused: errors.GatewayError, path: str) -> httpx2.Response:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        raise refused

    edge = RequestContextMiddleware(refuse, REFUSALS, Metrics(), Recorder())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=edge), base_url=SITE) as client:
        return await client.get(path)


def test_every_503_says_when_to_come_back() -> None:
    assert REFUSALS.headers(errors.ServiceUnavailable()) == {"retry-after": "1"}
    assert REFUSALS.headers(errors.CircuitBreakerOpen(12)) == {"retry-after": "12"}

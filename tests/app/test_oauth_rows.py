"""Rows of the security matrix at the OAuth endpoints of the whole gateway: what a stranger posts, status by status."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.edge import Edge, running, settings_for

CALLBACK = "https://app.example/cb"
GOOD: dict[str, Any] = {
    "redirect_uris": [CALLBACK],
    "token_endpoint_auth_method": "none",
    "client_name": "An app",
    "scope": "sparks:read",
}
SAFE, ROBOT, SECRET = "the-safe", "the-robot", "a secret of the operator: long enough"
CLIENTS = [
    {"client_id": SAFE, "client_secret": SECRET, "redirect_uris": [CALLBACK]},
    {"client_id": ROBOT, "client_secret": SECRET, "redirect_uris": [], "grant_types": ["client_credentials"]},
]


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    async with running(settings_for(tmp_path_factory.mktemp("oauth"), oauth_clients=json.dumps(CLIENTS))) as edge:
        yield edge


@pytest.mark.security("RG-15", "RG-21", "RG-36")
@pytest.mark.parametrize(
    "wrong",
    [
        {"client_name": {}},
        {"client_name": 7},
        {"grant_types": "authorization_code"},
        {"response_types": {"code": True}},
        {"scope": ["sparks:read"]},
        {"token_endpoint_auth_method": ["none"]},
        {"client_name": "a" * 20_000},
        {"redirect_uris": [f"{CALLBACK}/{number}" for number in range(2_000)]},
        {"redirect_uris": [f"{CALLBACK}/{'a' * 20_000}"]},
        {"scope": " ".join(f"s{number}" for number in range(20_000))},
        {"contacts": [f"{number}@example.com" for number in range(5_000)]},
        {"application_type": "web", "redirect_uris": ["http://127.0.0.1:1/cb"]},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
async def test_metadata_of_another_type_or_size_is_a_400(edge: Edge, wrong: dict[str, Any]) -> None:
    answer = await edge.client.post("/oauth/register", json=GOOD | wrong)

    assert answer.status_code in {400, 413}
    assert answer.json()["error"] in {"invalid_client_metadata", "invalid_redirect_uri", "invalid_request"}
    assert "Traceback" not in answer.text


@pytest.mark.security("RG-16", "RG-18", "RG-19", "RG-20", "RG-22", "RG-23", "RG-33")
@pytest.mark.parametrize(
    ("asked", "unheard"),
    [
        ({"grant_types": ["authorization_code", "password"]}, "password"),
        ({"grant_types": ["authorization_code", "implicit"], "response_types": ["code", "token"]}, "implicit"),
        ({"grant_types": ["authorization_code", "client_credentials"]}, "client_credentials"),
        ({"token_endpoint_auth_method": "client_secret_jwt"}, "client_secret_jwt"),
        ({"token_endpoint_auth_method": "tls_client_auth"}, "tls_client_auth"),
        ({"token_endpoint_auth_method": "magic"}, "magic"),
        ({"client_id": SAFE}, SAFE),
        ({"client_secret": "chosen-by-me"}, "chosen-by-me"),
        ({"is_trusted": True, "skip_consent": True, "first_party": True}, "rust"),
        ({"scope": "sparks:read admin"}, "admin"),
        ({"scope": "sparks:read\nadmin"}, "admin"),
        ({"scope": "*"}, "*"),
        ({"client_name": "An\r\napp"}, "\\n"),
        ({"client_name": "An\u202eapp"}, "\u202e"),
        ({"client_name": "An\u200bapp"}, "\u200b"),
        ({"client_name": "An\x1b[31mapp"}, "\x1b"),
        ({"client_name": "An\0app"}, "\\u0000"),
        ({"client_uri": "javascript:alert(1)"}, "javascript"),
        ({"policy_uri": "data:text/html,x"}, "data:"),
        ({"tos_uri": "file:///etc/passwd"}, "file:"),
        ({"logo_uri": "javascript:alert(1)"}, "javascript"),
        ({"software_statement": "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmlzIjpbImh0dHBzOi8vZXZpbCJdfQ."}, "evil"),
    ],
)
async def test_what_a_stranger_may_not_have_is_refused_or_not_in_the_answer(
    edge: Edge, asked: dict[str, Any], unheard: str
) -> None:
    answer = await edge.client.post("/oauth/register", json=GOOD | asked)

    assert answer.status_code in {201, 400}
    assert unheard not in answer.text
    if answer.status_code == 201:
        registered = answer.json()
        assert registered["redirect_uris"] == [CALLBACK]
        assert registered["client_id"] not in {SAFE, ROBOT}
        assert registered["token_endpoint_auth_method"] in {"none", "client_secret_basic", "client_secret_post"}

"""Rows of the security matrix at the OAuth endpoints of the whole gateway: what a stranger posts, status by status."""

import base64
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


def basic(text: str | bytes) -> str:
    return "Basic " + base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


@pytest.mark.security("TK-11", "TK-14", "RF-14")
@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic !!!",
        basic("the-safe"),
        basic(b"\xff\xfe:\xff"),
        basic(f"{SAFE}:wrong"),
        basic(f"{SAFE}:"),
        basic(f"{SAFE}:{'a' * 40_000}"),
        basic(f"nobody:{SECRET}"),
    ],
    ids=lambda header: header[:14],
)
@pytest.mark.parametrize("grant", ["authorization_code", "refresh_token", "client_credentials"])
async def test_basic_credentials_that_are_not_right_are_a_401_with_a_challenge(
    edge: Edge, header: str, grant: str
) -> None:
    form = {"grant_type": grant, "code": "x", "refresh_token": "x", "redirect_uri": CALLBACK, "code_verifier": "v" * 43}

    answer = await edge.client.post("/oauth/token", data=form, headers={"authorization": header})

    assert (answer.status_code, answer.json()["error"]) in {(401, "invalid_client"), (400, "invalid_request")}
    if answer.status_code == 401:
        assert answer.headers["www-authenticate"].startswith("Basic")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.security("TK-15")
async def test_two_clients_in_one_request_are_a_400(edge: Edge) -> None:
    form = {"grant_type": "client_credentials", "client_id": SAFE, "client_secret": SECRET}

    answer = await edge.client.post("/oauth/token", data=form, headers={"authorization": basic(f"{ROBOT}:{SECRET}")})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.security("TK-30")
async def test_guesses_at_a_secret_are_slowed_down_for_their_place_and_the_client_goes_on(edge: Edge) -> None:
    form = {"grant_type": "client_credentials", "client_id": ROBOT}
    before = await edge.client.post("/oauth/token", data=form | {"client_secret": SECRET})

    guesses = [await edge.client.post("/oauth/token", data=form | {"client_secret": f"guess {n}"}) for n in range(40)]

    assert before.status_code == 200
    assert [guess.status_code for guess in guesses] == [401] * 10 + [429] * 30
    assert all(int(guess.headers["retry-after"]) > 0 for guess in guesses[10:])

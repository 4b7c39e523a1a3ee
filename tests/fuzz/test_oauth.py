"""Forms, addresses and metadata that strangers send to the authorization server and its pages."""

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.grammar import encoded, following, header_texts, mutated, pairs, texts, values
from tests.fuzz.sizes import bounded
from tests.fuzz.world import World, sound

REDIRECT = "http://127.0.0.1:7777/callback"
NAMES = [
    "client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "state", "scope", "resource",
    "nonce",
    "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "request", "request_uri",
    "grant_type",
    "code", "code_verifier", "refresh_token", "token", "token_type_hint", "device_code", "user_code",
    "client_assertion",
    "client_assertion_type", "csrf", "continue", "email", "password", "decision", "handle", "iss", "error", "ticket",
    "name",
    "lifetime", "id", "action", "kept",
]  # fmt: skip
KNOWN = [
    REDIRECT, "code", "authorization_code", "refresh_token", "client_credentials", "S256", "plain", "sparks:read",
    "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "http://127.0.0.1:8000/mcp", "minds_" + "0" * 48, "BCDF-GHJK",
    "https://client.example/metadata.json", "e30.e30.e30", "eyJhbGciOiJub25lIn0.e30.", "allow", "deny", "none", "query",
]  # fmt: skip
PATHS = [
    "/oauth/authorize", "/oauth/token", "/oauth/revoke", "/oauth/introspect", "/oauth/device",
    "/oauth/device_authorization",
    "/oauth/device/code", "/oauth/consent", "/oauth/login", "/oauth/login/oidc", "/oauth/logout", "/oauth/callback",
    "/oauth/callback/oidc", "/oauth/register", "/login", "/consent", "/device", "/account", "/account/keys", "/connect",
    "/exports/x/y", "/.well-known/jwks.json", "/.well-known/oauth-authorization-server",
]  # fmt: skip
METADATA = {
    "type": "object",
    "properties": {
        "redirect_uris": {
            "type": "array",
            "items": {"enum": [REDIRECT, "https://a.example/cb", "cursor://x", "data:,"]},
        },
        "client_name": {"type": "string"},
        "client_uri": {"type": "string"},
        "logo_uri": {"type": "string"},
        "grant_types": {"type": "array", "items": {"enum": KNOWN[2:5]}},
        "response_types": {"type": "array", "items": {"enum": ["code", "token"]}},
        "token_endpoint_auth_method": {"enum": ["none", "client_secret_basic", "client_secret_post", "x"]},
        "scope": {"enum": ["sparks:read", "sparks:read flows:read", "a b", ""]},
        "contacts": {"type": "array", "items": {"type": "string"}},
        "jwks": {"type": "object", "properties": {"keys": {"type": "array", "items": {"type": "object"}}}},
        "jwks_uri": {"type": "string"},
        "application_type": {"enum": ["native", "web"]},
        "software_statement": {"type": "string"},
        "client_name#de": {"type": "string"},
    },
    "required": ["redirect_uris"],
}
places = st.integers(1, 2**24 - 1)
parameters = pairs(NAMES, st.sampled_from(KNOWN))
cookies = st.sampled_from(["", "minds_session=x", "__Host-session=a.b; l=c", 'a="; b=\\', "=", ";;;"]) | header_texts


def form(given: list[tuple[str, str]]) -> str:
    """Half surrogates included, as bytes that are no UTF-8."""
    return urlencode(given, errors="surrogatepass")


@pytest.fixture(scope="module")
async def client_id(world: World) -> str:
    answer = await world.answer(
        "POST", "/oauth/register", json={"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}
    )
    registered: str = answer.json()["client_id"]
    return registered


@bounded()
@given(path=st.sampled_from(PATHS), given=parameters, method=st.sampled_from(["GET", "GET", "HEAD", "OPTIONS", "PUT"]),
       cookie=cookies, place=places, knows=st.booleans())  # fmt: skip
async def test_no_address_is_a_fault(
    world: World, client_id: str, path: str, given: list[tuple[str, str]], method: str, cookie: str, place: int,
    knows: bool,
) -> None:  # fmt: skip
    asked = [*given, ("client_id", client_id), ("redirect_uri", REDIRECT)] if knows else given
    headers = [(b"cookie", cookie.encode("latin-1"))]

    response = await world.answer(method, f"{path}?{form(asked)}", place=place, headers=headers)

    sound(response, {"path": path, "asked": asked})


@bounded()
@given(path=st.sampled_from(PATHS), body=mutated(parameters.map(lambda given: form(given).encode())), cookie=cookies,
       authorization=st.none() | st.sampled_from(["Basic Og==", "Basic !", "Bearer x", "Basic"]) | header_texts,
       kind=st.sampled_from(["application/x-www-form-urlencoded"] * 5 + ["application/json", "multipart/form-data"]),
       place=places, knows=st.booleans())  # fmt: skip
async def test_no_form_is_a_fault(
    world: World, client_id: str, path: str, body: bytes, cookie: str, authorization: str | None, kind: str, place: int,
    knows: bool,
) -> None:  # fmt: skip
    known = f"client_id={client_id}&".encode() if knows else b""
    headers = [(b"content-type", kind.encode()), (b"cookie", cookie.encode("latin-1"))]
    if authorization is not None:
        headers.append((b"authorization", authorization.encode("latin-1")))

    response = await world.answer("POST", path, place=place, headers=headers, content=known + body)

    sound(response, {"path": path, "body": body, "headers": headers})


@bounded()
@given(body=mutated((following(METADATA) | values).map(encoded)), place=places)
async def test_no_metadata_of_a_client_is_a_fault(world: World, body: bytes, place: int) -> None:
    headers = {"content-type": "application/json"}

    response = await world.answer("POST", "/oauth/register", place=place, headers=headers, content=body)

    sound(response, {"body": body})


@bounded()
@given(segments=st.lists(texts.map(lambda text: text.encode("utf-8", "surrogatepass")), max_size=3), place=places,
       method=st.sampled_from(["GET", "POST", "DELETE", "TRACE", "PATCH"]))  # fmt: skip
async def test_no_path_is_a_fault(world: World, segments: list[bytes], place: int, method: str) -> None:
    path = "/" + "/".join("".join(f"%{byte:02x}" for byte in segment) for segment in segments)

    response = await world.answer(method, path, place=place)

    sound(response, {"path": path})

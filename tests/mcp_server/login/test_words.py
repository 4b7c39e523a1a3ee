"""Where tokens may go, and that none is shown; the gateway knows the client by the same name."""

import pytest
from pydantic import SecretStr

from mcp_server.login.words import CLIENT_ID, Endpoints, SignInFailed, Tokens, may_carry, site_of
from oauth.flows.device import STDIO_CLIENT_ID


def test_both_halves_call_the_client_by_one_name() -> None:
    assert CLIENT_ID == STDIO_CLIENT_ID


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://Minds.Example.com", "https://minds.example.com"),
        ("https://minds.example.com:8443/", "https://minds.example.com:8443"),
        ("https://minds.example.com/api/v1", "https://minds.example.com"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_site_is_the_origin(url: str, site: str) -> None:
    assert site_of(url) == site


@pytest.mark.parametrize(
    "url", ["minds.example.com", "http://minds.example.com", "http://10.0.0.1", "ftp://x", "https://u@x.example", ""]
)
def test_what_is_no_place_for_a_token_is_refused(url: str) -> None:
    with pytest.raises(SignInFailed):
        site_of(url)


def test_a_token_travels_encrypted_or_not_at_all() -> None:
    assert may_carry("https://minds.example.com/oauth/token")
    assert may_carry("http://localhost:8000/oauth/token")
    assert not may_carry("http://minds.example.com/oauth/token")
    assert not may_carry("http://127.0.0.1.evil.example/")
    assert not may_carry("https:///oauth/token")


def test_no_token_is_shown() -> None:
    endpoints = Endpoints(issuer="i", token_endpoint="t", device_authorization_endpoint="d")
    tokens = Tokens(
        site="s",
        endpoints=endpoints,
        access_token=SecretStr("hunter2"),
        refresh_token=SecretStr("hunter3"),
        renew_at=1,
        expires_at=2,
    )

    assert "hunter" not in f"{tokens} {tokens!r} {tokens.model_dump_json()}"

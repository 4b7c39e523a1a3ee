"""Which redirect URIs may be registered, and which of a request is one of them."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import InvalidRedirectUri
from oauth.primitives.redirects import MAX_LENGTH, check_redirect, matches, redirect_host

SCHEMES = ("cursor", "vscode")

CASES = tomllib.loads(Path(__file__).with_name("redirects.toml").read_text("utf-8"))


@pytest.mark.requirement("seed:gateway:oauth-tunnel-redirects")
@pytest.mark.parametrize("uri", CASES["accepted"])
def test_what_known_clients_register_is_accepted(uri: str) -> None:
    check_redirect(uri, SCHEMES)


@pytest.mark.security("RG-05", "RG-06")
@pytest.mark.parametrize("uri", CASES["taken_schemes"])
def test_no_list_of_private_schemes_lets_one_through_that_means_something_already(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(uri, [uri.partition(":")[0]])


@pytest.mark.security("RG-06", "RG-07")
@pytest.mark.parametrize("uri", [*CASES["not_loopback"], *CASES["devious"], "https://example.com/" + "a" * MAX_LENGTH])
def test_http_beyond_loopback_and_what_parsers_read_differently_are_refused(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(uri, SCHEMES)


@pytest.mark.security("AZ-03")
@pytest.mark.parametrize("asked", CASES["altered"])
def test_only_the_very_same_address_matches(asked: str) -> None:
    assert matches("https://example.com/cb", ["https://example.com/cb"])
    assert not matches(asked, ["https://example.com/cb"])


@pytest.mark.security("AZ-05")
@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
@pytest.mark.parametrize("registered", ["", ":1", ":8787"])
@pytest.mark.parametrize("asked", ["", ":1024", ":65535"])
def test_the_port_of_loopback_is_free(host: str, registered: str, asked: str) -> None:
    assert matches(f"http://{host}{asked}/cb?a=1", [f"http://{host}{registered}/cb?a=1"])


@pytest.mark.security("AZ-06")
@pytest.mark.parametrize("asked", CASES["altered_loopback"])
def test_nothing_of_loopback_but_the_port_is_free(asked: str) -> None:
    assert not matches(asked, ["http://127.0.0.1:33418/cb"])


@given(st.text(max_size=40), st.sampled_from(["https://", "http://localhost", "cursor:", ""]))
def test_every_text_is_either_fit_to_be_stored_or_refused(text: str, beginning: str) -> None:
    try:
        check_redirect(beginning + text, SCHEMES)
    except InvalidRedirectUri:
        return
    assert redirect_host(beginning + text)
    assert (beginning + text).isascii()
    assert (beginning + text).isprintable()


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://Claude.ai/api/mcp/auth_callback", "claude.ai"),
        ("https://example.com:443/cb", "example.com"),
        ("https://example.com:8443/cb", "example.com:8443"),
        ("http://127.0.0.1:33418/", "127.0.0.1"),
        ("http://[::1]:5/", "[::1]"),
        ("cursor://claude.ai/oauth/callback", "cursor:"),
    ],
)
def test_the_place_where_codes_go_is_named_without_what_changes_and_what_deceives(uri: str, host: str) -> None:
    assert redirect_host(uri) == host


@pytest.mark.parametrize("name", ["code", "state", "iss", "error", "error_description"])
@pytest.mark.parametrize(
    "form", ["https://a.example/cb?{}=1", "https://a.example/cb?x=1&{}", "cursor://cb?{}=", "vscode:/cb?{}"]
)
def test_an_address_that_holds_a_part_of_an_answer_is_refused(form: str, name: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(form.format(name), SCHEMES)
    check_redirect(form.format(f"x{name}"), SCHEMES)

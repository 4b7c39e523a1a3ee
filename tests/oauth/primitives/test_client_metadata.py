"""What software says about itself is read strictly, and what would grant trust is not read at all."""

from typing import Any

import pytest

from oauth.errors import InvalidClientMetadata, InvalidRedirectUri, ProtocolError
from oauth.grants import DEVICE_CODE
from oauth.primitives.client_metadata import (
    GRANT_TYPES,
    MAX_NAME,
    MAX_REDIRECTS,
    clean_name,
    grant_types,
    read,
    safe_link,
)

GOOD = {"redirect_uris": ["https://example.com/cb"]}
KEY = {"kty": "EC", "crv": "P-256", "x": "eA", "y": "eQ"}


def refused(**words: Any) -> type[ProtocolError]:
    with pytest.raises(ProtocolError) as error:
        read({**GOOD, **words}, ())
    return type(error.value)


@pytest.mark.security("RG-15")
@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("client_name", {}),
        ("client_name", 7),
        ("grant_types", "authorization_code"),
        ("grant_types", [7]),
        ("response_types", "code"),
        ("scope", ["sparks:read"]),
        ("contacts", "ada@example.com"),
        ("token_endpoint_auth_method", ["none"]),
        ("application_type", "mobile"),
        ("jwks", []),
        ("jwks", {"keys": {}}),
        ("jwks", {"keys": [7]}),
        ("jwks_uri", 7),
        ("software_id", 7),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(word: str, value: object) -> None:
    assert refused(**{word: value}) is InvalidClientMetadata


@pytest.mark.security("RG-21")
@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("client_name", "n" * 20_000),
        ("redirect_uris", ["https://example.com/" + "a" * 20_000]),
        ("redirect_uris", [f"https://example.com/{n}" for n in range(MAX_REDIRECTS + 1)]),
        ("scope", "sparks:read " * 20_000),
        ("contacts", ["ada@example.com"] * 5_000),
        ("software_version", "1" * 5_000),
        ("jwks", {"keys": [KEY] * 100}),
    ],
)
def test_nothing_may_be_long(word: str, value: object) -> None:
    assert issubclass(refused(**{word: value}), InvalidRedirectUri | InvalidClientMetadata)


@pytest.mark.security("RG-36")
@pytest.mark.parametrize("uri", ["http://localhost/cb", "http://127.0.0.1:5/", "https://localhost/cb", "cursor://a/cb"])
def test_a_web_client_does_not_live_on_somebodys_computer(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        read({"redirect_uris": [uri], "application_type": "web"}, ("cursor",))
    assert read({"redirect_uris": [uri], "application_type": "native"}, ("cursor",)).redirect_uris == [uri]
    assert read({"redirect_uris": [uri]}, ("cursor",)).redirect_uris == [uri]


@pytest.mark.security("CI-08")
@pytest.mark.parametrize("member", ["d", "p", "k"])
def test_a_private_key_is_not_metadata(member: str) -> None:
    assert refused(jwks={"keys": [KEY | {member: "eA"}]}) is InvalidClientMetadata


def test_grant_types_are_those_that_are_wanted_and_offered() -> None:
    def of(*asked: str) -> frozenset[str]:
        return grant_types(read({**GOOD, "grant_types": [*asked]}, ()), GRANT_TYPES)

    assert of("authorization_code", "implicit", "password") == {"authorization_code"}
    assert of("authorization_code", "refresh_token", DEVICE_CODE) == {
        "authorization_code",
        "refresh_token",
        DEVICE_CODE,
    }
    assert grant_types(read(GOOD, ()), GRANT_TYPES) == {"authorization_code", "refresh_token"}


@pytest.mark.parametrize(
    "words", [{"grant_types": ["password"]}, {"grant_types": ["refresh_token"]}, {"response_types": ["token"]}]
)
def test_who_wants_nothing_that_there_is_is_refused(words: dict[str, Any]) -> None:
    with pytest.raises(InvalidClientMetadata):
        grant_types(read({**GOOD, **words}, ()), GRANT_TYPES)


@pytest.mark.security("RG-22")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Claude\nSet-Cookie: a", "Claude Set-Cookie: a"),
        ("Claude\r\n", "Claude"),
        ("Cl\x00au\x1bde", "Claude"),
        ("\u202eedualC", "edualC"),
        ("Cla\u200bude", "Claude"),
        ("  \u2003 ", ""),
        ("\u2066\u2069", ""),
        (None, ""),
        ("Mémoires 日本 🎈", "Mémoires 日本 🎈"),
        ("n" * 500, "n" * MAX_NAME),
    ],
)
def test_a_name_is_one_line_of_what_can_be_seen(name: str | None, shown: str) -> None:
    assert clean_name(name) == shown


@pytest.mark.security("RG-23")
@pytest.mark.parametrize("uri", ["javascript:alert(1)", "data:x", "file:///x", "http://example.com", "https://a@b/"])
def test_a_link_that_is_not_https_is_dropped(uri: str) -> None:
    assert safe_link(uri) is None
    assert safe_link("https://example.com/logo.png") == "https://example.com/logo.png"

"""Addresses as the settings write them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings import origins

hosts = st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?(\.[a-z]{2,5}){0,2}", fullmatch=True)
ports = st.integers(1, 65_535)


@given(st.sampled_from(["http", "https"]), hosts, st.none() | ports)
def test_an_origin_has_one_spelling(scheme: str, host: str, port: int | None) -> None:
    written = f"{scheme}://{host}" + (f":{port}" if port else "")

    once = origins.origin(written)

    assert origins.origin(once) == once
    assert origins.origin(written.upper()) == once
    assert origins.origin(f"{written}/") == once
    assert once == written or port in {80, 443}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://h:80", "http://h"),
        ("https://h:80", "https://h:80"),
        ("HTTPS://Getminds.AI", "https://getminds.ai"),
    ],
)
def test_the_origins_of_the_examples(written: str, expected: str) -> None:
    assert origins.origin(written) == expected


NO_ORIGINS = [
    "", "h", "//h", "https://", "https:///x", "https://h/x", "https://h?", "https://h/?q=1", "https://h#",
    "https://u@h", "https://u:p@h", "javascript:alert(1)", "file:///etc/passwd", "https://h:99999",
    "https://h:x", "https://*", "https://*.h.com", "https://a b", "https://[::1", "https://[zz]", "null",
]  # fmt: skip
NO_PATTERNS = ["*", "https://*", "https://a.*.com", "https://*evil.com", "*.com", "https://*.a/x"]
NO_PLACES = ["", "h", ":1", "h:", "h:0", "h:99999", "h:1/x", "u@h:1", "*:1", "http://h:1", "::1"]


@pytest.mark.parametrize(
    ("read", "text"),
    [(origins.origin, each) for each in NO_ORIGINS]
    + [(origins.origin_or_pattern, each) for each in NO_PATTERNS]
    + [(origins.host_port, each) for each in NO_PLACES],
)
def test_what_is_no_origin_no_pattern_or_no_host_and_port_is_refused(read: Callable[[str], str], text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


def test_a_pattern_takes_in_subdomains() -> None:
    assert origins.origin_or_pattern("https://*.OpenAI.com") == "https://*.openai.com"


@pytest.mark.parametrize(
    ("pattern", "is_open", "is_shared"),
    [
        ("https://*.com", True, False),
        ("https://*.ngrok-free.app", False, True),
        ("https://*.ngrok-free.app:8443", False, True),
        ("https://a1b2.ngrok-free.app", False, False),
        ("https://*.openai.com", False, False),
        ("https://openai.com", False, False),
    ],
)
def test_a_pattern_that_anybody_can_stand_under_is_known(pattern: str, *, is_open: bool, is_shared: bool) -> None:
    assert (origins.is_open(pattern), origins.is_shared(pattern)) == (is_open, is_shared)


@given(hosts, ports)
def test_a_host_and_port_have_one_spelling(host: str, port: int) -> None:
    assert origins.host_port(f"{host}:{port}".upper()) == f"{host}:{port}"


def test_only_this_machine_is_loopback() -> None:
    ours = ["localhost", "a.localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"]
    others = ["", "localhost.evil.com", "127.0.0.1.nip.io", "10.0.0.1", "0.0.0.0", "::", "h"]

    assert [host for host in [*ours, *others] if origins.is_loopback(host)] == ours


@pytest.mark.parametrize(
    ("url", "plain"),
    [("http://h", True), ("https://h", False), ("http://127.0.0.1:1", False), ("http://localhost", False)],
)
def test_plain_http_is_what_leaves_this_machine_unencrypted(url: str, *, plain: bool) -> None:
    assert origins.is_plain_http(url) is plain

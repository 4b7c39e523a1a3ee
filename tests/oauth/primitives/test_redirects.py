"""Which redirect URIs may be registered, and which of a request is one of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.errors import InvalidRedirectUri
from oauth.primitives.redirects import (
    MAX_LENGTH,
    check_redirect,
    matches,
    redirect_host,
)

SCHEMES = ("cursor", "vscode")

# What the known clients register (Claude, ChatGPT, Codex, Cursor, VS Code, Gemini CLI, mcp-remote, MCP Inspector).
REAL = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    "https://chatgpt.com/connector/oauth/A-b_c~1",
    "http://127.0.0.1/callback",
    "http://localhost:8787/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "http://127.0.0.1:33418",
    "http://127.0.0.1:33418/",
    "https://vscode.dev/redirect",
    "https://antigravity.google/oauth-callback",
    "http://localhost:3335/oauth/callback",
    "http://localhost:6274/oauth/callback/debug",
    "http://[::1]:1/cb?x=%20",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/cb",
    "https://xn--bcher-kva.example:8443/cb",
    "https://a1b2-203-0-113-7.ngrok-free.app/oauth/callback",
]


@pytest.mark.requirement("seed:gateway:oauth-tunnel-redirects")
@pytest.mark.parametrize("uri", REAL)
def test_what_known_clients_register_is_accepted(uri: str) -> None:
    check_redirect(uri, SCHEMES)


@pytest.mark.security("RG-05", "RG-06")
@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)//x",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://example.com/1",
        "about:blank/x",
        "intent://x/y",
        "view-source:https://example.com/",
        "mailto:a",
        "tel:110",
        "ftp://example.com/cb",
        "wss://example.com/cb",
        "chrome://settings/x",
        "chrome-extension://abc/cb",
        "http://evil.example/cb",
        "https://127.1/cb",
    ],
)
def test_no_list_of_private_schemes_lets_one_through_that_means_something_already(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(uri, [uri.partition(":")[0]])


@pytest.mark.security("RG-06")
@pytest.mark.parametrize(
    "uri",
    [
        "http://example.com/cb",
        "http://10.0.0.1/cb",
        "http://192.168.1.1/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://127.0.0.1@evil.example/cb",
        "http://127.0.0.2/cb",
        "http://127.1/cb",
        "http://0x7f.1/cb",
        "http://localhost:0/cb",
        "http://localhost:65536/cb",
        "ftp://example.com/cb",
        "com.example.app:/cb",
    ],
)
def test_http_leads_to_loopback_only(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(uri, SCHEMES)


@pytest.mark.security("RG-07")
@pytest.mark.parametrize(
    "uri",
    [
        "https://example.com/cb#",
        "https://example.com/cb#fragment",
        "https://user@example.com/cb",
        "https://user:pass@example.com/cb",
        "https://a@b@example.com/cb",
        "cursor://user@host/cb",
        "https://*.example.com/cb",
        "https://example.com/*",
        "https://example.com\\@evil.example/cb",
        "https:\\\\example.com/cb",
        "//example.com/cb",
        "/cb",
        "cb",
        "",
        "https://",
        "https:///cb",
        "https:example.com/cb",
        "https://exa mple.com/cb",
        "https://example.com/c b",
        "https://example.com/cb\r\nSet-Cookie: a=b",
        "https://example.com/cb%0d%0aSet-Cookie:a",
        "https://example.com/cb\n",
        "https://example.com/..;/cb",
        "https://example.com/a/../cb",
        "https://example.com/a/%2e%2e/cb",
        "https://example.com/a/%2E./cb",
        "https://example.com/a%2f..%2fcb",
        "https://example.com/a/..%5c/cb",
        "https://example.com/%zz",
        "https://bücher.example/cb",
        "https://[::1/cb",
        "https://example..com/cb",
        "https://-example.com/cb",
        "https://example.com:/cb",
        "https://example.com:x/cb",
        "https://example.com:0443/cb",
        "http://127.0.0.1:09999/cb",
        "https://[fe80::1%25eth0]/x",
        "https://[fe80::1%eth0]/x",
        "https://2130706433/cb",
        "https://127.1/cb",
        "https://[0:0:0:0:0:0:0:1]/cb",
        "https://example.com/" + "a" * MAX_LENGTH,
    ],
)
def test_what_parsers_read_differently_is_refused(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri):
        check_redirect(uri, SCHEMES)


@pytest.mark.security("AZ-03")
@pytest.mark.parametrize(
    "asked",
    [
        "https://example.com/cb/",
        "https://example.com/cb?x=1",
        "https://example.com/cb#x",
        "https://example.com/CB",
        "https://EXAMPLE.com/cb",
        "https://example.com:443/cb",
        "https://user@example.com/cb",
        "https://a.example.com/cb",
        "https://example.com/cb/..",
        "https://example.com/%63b",
        "https://example.com/cb\n",
        " https://example.com/cb",
        "http://example.com/cb",
        "https://example.com/",
        "",
    ],
)
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
@pytest.mark.parametrize(
    "asked",
    [
        "http://127.0.0.1:5/other",
        "http://127.0.0.1:5/cb/",
        "http://127.0.0.1:5/cb?x=1",
        "https://127.0.0.1:5/cb",
        "http://127.0.0.2:5/cb",
        "http://localhost:5/cb",
        "http://[::1]:5/cb",
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:65536/cb",
        "http://127.0.0.1:/cb",
        "http://127.0.0.1:-5/cb",
        "http://127.0.0.1:033418/cb",
        "http://127.0.0.1:09999/cb",
        "http://127.0.0.1:\u0665/cb",
        "http://127.0.0.1:5:6/cb",
        "http://127.0.0.1:5@evil.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://127.0.0.1:5evil.example/cb",
        "http://127.0.0.1:5/cb\n",
    ],
)
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

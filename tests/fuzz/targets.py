"""The pure readers of hostile input, each as a function of bytes that returns or raises what its reader promises."""

import json
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import parse_qsl

from app.http.origin_policy import OriginRules
from app.internal_api.errors import BadRequest
from app.internal_api.panels.classifier import classify
from app.process.http_protocol import Violation, check_head
from app.settings import origins
from mcp_server.errors import GatewayError
from mcp_server.observability import redaction
from mcp_server.observability.redaction import sanitized
from mcp_server.protocol.envelope import parse
from mcp_server.protocol.http import accepted_types
from oauth.errors import ProtocolError, Unacceptable
from oauth.primitives import client_metadata, display_names, redirects, resources, scopes
from oauth.primitives.parameters import Parameters, read_object

RULES = OriginRules("https://mcp.example.com", "http://127.0.0.1:8000", ("https://*.openai.com",))
SCHEMES = ("cursor", "vscode")
LONG_QUESTION = 4_000


def envelope(data: bytes) -> None:
    """The message of a POST, or of a line on stdio."""
    with suppress(GatewayError):
        read = parse(data)
        assert read.kind in {"request", "notification", "response"}
        assert len(str(read.progress_token)) <= 1_000
        assert read.tool_name is None or isinstance(read.tool_name, str)


def head(data: bytes) -> None:
    """A request's target and headers."""
    target, *lines = data.split(b"\n")
    with suppress(Violation):
        check_head(
            target, [(name.lower(), value) for name, _, value in (line.partition(b":") for line in lines)], "1.1"
        )


def metadata(data: bytes) -> None:
    """What a client registers, or keeps in a document."""
    with suppress(ValueError, ProtocolError):
        words = read_object(data)
        read = client_metadata.read(words, SCHEMES)
        assert "\n" not in client_metadata.clean_name(read.client_name)


def redirect(data: bytes) -> None:
    """A redirect URI, registered and asked for."""
    uri = data.decode("utf-8", "surrogateescape")
    with suppress(ProtocolError):
        redirects.check_redirect(uri, SCHEMES)
        assert not uri.lower().startswith(("javascript:", "data:", "http://evil"))
        assert redirects.matches(uri, [uri]) in {True, False}
        redirects.redirect_host(uri)


def parameters(data: bytes) -> None:
    """A query, or a form."""
    with suppress(ValueError, ProtocolError):
        read = Parameters(parse_qsl(data.decode("latin-1"), keep_blank_values=True, max_num_fields=64, errors="strict"))
        with suppress(Unacceptable):
            scopes.parse(read.get("scope") or "")
        with suppress(ProtocolError):
            resources.chosen(read.get("resource"), ["https://mcp.example.com/mcp"])


def question(data: bytes) -> None:
    """What is asked of a panel."""
    with suppress(BadRequest):
        classify(data.decode("utf-8", "replace")[:LONG_QUESTION])


def log_line(data: bytes) -> None:
    """What is written of a request."""
    text = data.decode("utf-8", "surrogateescape")
    assert sanitized(text).isprintable()
    with suppress(ValueError, RecursionError):
        redaction.redact(None, "", {"value": json.loads(text)})
    redaction.redact(None, "", {"value": text, "bytes": data})


def headers(data: bytes) -> None:
    """Origin, Host, Accept and a name to be shown."""
    text = data.decode("latin-1")
    assert not RULES.may_call(text) or text.endswith(("openai.com", "mcp.example.com"))
    accepted_types(text)
    assert "\u202e" not in display_names.shown_name(data.decode("utf-8", "replace"))
    display_names.may_imitate(text)


def origin(data: bytes) -> None:
    """An origin in the settings."""
    with suppress(ValueError):
        read = origins.origin(data.decode("utf-8", "replace"))
        assert origins.origin(read) == read


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (envelope, head, metadata, redirect, parameters, question, log_line, headers, origin)
}
SEEDS: dict[str, bytes] = {
    "envelope": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}}',
    "head": b"/mcp\nHost: a\nTransfer-Encoding: chunked",
    "metadata": b'{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"x","jwks":{"keys":[{"kty":"EC"}]}}',
    "redirect": b"https://app.example:8443/cb?x=y#z",
    "parameters": b"scope=sparks:read&resource=https%3A%2F%2Fmcp.example.com%2Fmcp",
    "question": b"Which of these do you prefer: tea, coffee, or water? Rate from 1 to 5.",
    "log_line": b'{"Authorization": "Bearer minds_0123456789", "url": "https://u:p@h/?code=1"}',
    "headers": b"https://a.openai.com",
    "origin": b"https://Getminds.AI:443/",
}

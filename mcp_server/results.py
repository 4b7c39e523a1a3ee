"""What a call came to, as a result of the protocol: a model, a failure to be mended, or a challenge to sign in."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import mcp_types as types

from mcp_server.errors import GatewayError, ToolFailure
from mcp_server.limits.decisions import Decision
from mcp_server.limits.headers import META, window_data
from mcp_server.observability.telemetry import no_op
from mcp_server.toolkit.answers import Enclosure
from mcp_server.toolkit.quotations import neutralized
from mcp_server.toolkit.widgets import Live

Result = types.CallToolResult | types.InputRequiredResult | dict[str, Any]
"""A model of the protocol library, or what goes on the wire."""

ON_THE_WIRE: Mapping[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}

CHALLENGES = "mcp/www_authenticate"
"""The member of a result's `_meta` in which ChatGPT reads the challenges of RFC 6750."""


def rendered(result: Any, live: Live = no_op) -> Result:
    """A model as structured content and complete text; what is a result already passes through.

    `live` gives a widget the means to watch what is not over yet.

    All of the text is neutralized, whoever wrote it, but for the links to the files that the tool has made.
    """
    if isinstance(result, types.CallToolResult | types.InputRequiredResult):
        return result
    # Of the class: a pydantic model looks for a missing attribute in 6 us.
    has_files = hasattr(type(result), "enclosures")
    enclosures: Sequence[Enclosure] = result.enclosures() if has_files else ()
    text = result.as_text()
    if not getattr(type(result), "is_verbatim", False):
        text = neutralized(text)
    for file in enclosures:
        text = text.replace(neutralized(file.uri), file.uri)
    blocks = (block for file in enclosures for block in _blocks(file))
    meta = result.for_widget(live) if hasattr(type(result), "for_widget") else None
    return {
        **({} if meta is None else {"_meta": meta}),
        "content": [{"text": text, "type": "text"}, *(block.model_dump(**ON_THE_WIRE) for block in blocks)],
        "isError": False,
        "resultType": "complete",
        "structuredContent": result.model_dump(mode="json", by_alias=True),
    }


def with_limits(result: Result, charge: Decision | None) -> Result:
    """`result`, with how the caller's windows stand, where there are no headers to say it."""
    if charge is None:
        return result
    about = {META: window_data(charge)}
    if isinstance(result, dict):
        return {**result, "_meta": {**(result.get("_meta") or {}), **about}}
    return result.model_copy(update={"meta": {**(result.meta or {}), **about}})


def _blocks(file: Enclosure) -> Iterator[types.ContentBlock]:
    """A link, for hosts that fetch, and the file itself where it goes along, for those that do not."""
    yield types.ResourceLink(
        type="resource_link", uri=file.uri, name=file.name, mime_type=file.media_type, size=file.size
    )
    if file.content is None:
        return
    about = {"uri": file.uri, "mime_type": file.media_type}
    if file.media_type.startswith("text/") or file.media_type == "application/json":
        text = types.TextResourceContents(**about, text=file.content.decode())
        yield types.EmbeddedResource(type="resource", resource=text)
    else:
        blob = types.BlobResourceContents(**about, blob=base64.b64encode(file.content).decode())
        yield types.EmbeddedResource(type="resource", resource=blob)


def failed(failure: ToolFailure, codes: Mapping[str, str] = MappingProxyType({})) -> types.CallToolResult:
    """The stable word first, then the sentence; the same two as structured content. `codes` are other words."""
    return _error(
        codes.get(failure.code, failure.code), failure.message, failure.details, shown=neutralized(failure.message)
    )


def challenged(error: GatewayError, challenge: str) -> types.CallToolResult:
    """A refusal as a result whose challenge opens the host's sign-in (OpenAI's documentation of authentication)."""
    return _error(error.name.lower(), error.message, {}, shown=error.message, meta={CHALLENGES: [challenge]})


def _error(
    code: str, message: str, details: Mapping[str, Any], *, shown: str, meta: dict[str, Any] | None = None
) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{code}: {shown}")],
        structured_content={"error": {"code": code, "message": message, **details}},
        is_error=True,
        _meta=meta,
    )

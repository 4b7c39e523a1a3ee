"""A caller may see fewer toolsets than are served, by the URL or by a header; never more, and never others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from mcp_server.errors import InvalidRequest, ResourceNotFound
from mcp_server.request_context import Narrowed, RequestContext, current_context
from mcp_server.settings import listed
from mcp_server.toolkit.quotations import NOTICE
from mcp_server.toolset import Context, Toolset

HEADER, PARAMETER = "x-mcp-toolsets", "toolsets"

LISTS = {
    "tools/list": ("tool", "tools", "name"),
    "prompts/list": ("prompt", "prompts", "name"),
    "resources/list": ("resource", "resources", "uri"),
    "resources/templates/list": ("resource", "resourceTemplates", "uriTemplate"),
}
"""By method: the kind of what is listed, the member of the result, and the member that names an item of it."""

ASKS = {"tools/call": ("tool", "name"), "prompts/get": ("prompt", "name"), "resources/read": ("resource", "uri")}


def instructions_of(toolsets: Sequence[Toolset]) -> str:
    """What a model should know before it uses any of `toolsets`."""
    return " ".join((*(toolset.instructions for toolset in toolsets if toolset.instructions), NOTICE))


def unknown(kind: str, name: str, version: str) -> MCPError:
    """The error for what is not there, or not for this caller: nothing tells the two apart."""
    if kind == "resource":
        error = ResourceNotFound(uri=name[:2_048])
        return MCPError(error.code_for(version), error.message, error.data)
    return MCPError(types.INVALID_PARAMS, f"Unknown {kind}: {name[:128]}")


class Narrowing:
    """Reads what a request narrows `toolsets` to; and as the innermost middleware of the server, hides the rest.

    It hides and does not protect: who may call what is decided as ever.
    """

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._toolsets = {toolset.name: toolset for toolset in toolsets}

    def narrow(self, context: RequestContext, query: bytes) -> None:
        """Note in `context` what both the query and the header name; a hidden tool's name leaves the envelope, as if
        unknown.

        Raises `InvalidRequest`: a name is not among the toolsets served, or there is none.
        """
        headers, envelope = context.headers, context.envelope
        named = parse_qs(query.decode("latin-1"), keep_blank_values=True).get(PARAMETER, [])
        ways = [self._known(",".join(lines)) for lines in (named, headers.getlist(HEADER)) if lines]
        if ways:
            narrowed = context.narrowed = Narrowed(frozenset.intersection(*ways), by_header=HEADER in headers)
            if envelope and self._is_hidden(narrowed, "tool", envelope.tool_name):
                context.envelope = envelope._replace(tool_name=None)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        request = current_context.get(None)
        narrowed = request.narrowed if request is not None else None
        if narrowed is None:
            return await call_next(ctx)
        result = await call_next(self._asked(narrowed, ctx))
        return self._shown(narrowed, ctx.method, result) if isinstance(result, dict) else result

    def _known(self, text: str) -> frozenset[str]:
        names: tuple[str, ...] = listed(text)
        strange = [name for name in names if name not in self._toolsets]
        if strange or not names:
            fault = f"There is no toolset {strange[0][:64]!r} here" if strange else "No toolset is named"
            raise InvalidRequest(f"{fault}; there is: {', '.join(self._toolsets)}")
        return frozenset(names)

    def _is_hidden(self, narrowed: Narrowed, kind: str, name: Any) -> bool:
        """Whether `name` belongs to toolsets outside only; what belongs to none is not ours to judge."""
        homes = {toolset.name for toolset in self._toolsets.values() if _has(toolset, kind, name)}
        return bool(homes) and homes.isdisjoint(narrowed.toolsets)

    def _asked(self, narrowed: Narrowed, ctx: Context) -> Context:
        """`ctx`, if what it asks for is to be seen. Raises `MCPError`: it is not."""
        params = ctx.params or {}
        kind, member = ASKS.get(ctx.method, ("", ""))
        if kind and self._is_hidden(narrowed, kind, params.get(member)):
            raise unknown(kind, params[member], ctx.protocol_version)
        if ctx.method == "subscriptions/listen" and isinstance(wanted := params.get("notifications"), dict):
            return replace(ctx, params={**params, "notifications": self._heard(narrowed, wanted)})
        reference = params.get("ref") if ctx.method == "completion/complete" else None
        for kind, member in (("prompt", "name"), ("resource", "uri")):
            if isinstance(reference, dict) and self._is_hidden(narrowed, kind, reference.get(member)):
                return replace(ctx, params={**params, "ref": {**reference, member: ""}})  # there is none of that name
        return ctx

    def _heard(self, narrowed: Narrowed, wanted: dict[str, Any]) -> dict[str, Any]:
        """Without the changes of what is hidden."""
        if isinstance(uris := wanted.get("resourceSubscriptions"), list):
            kept = [uri for uri in uris if not self._is_hidden(narrowed, "resource", uri)]
            wanted = {**wanted, "resourceSubscriptions": kept}
        if not any(self._toolsets[name].resources for name in narrowed.toolsets):
            wanted = {**wanted, "resourcesListChanged": False}
        return wanted

    def _shown(self, narrowed: Narrowed, method: str, result: dict[str, Any]) -> dict[str, Any]:
        if "instructions" in result:  # of initialize, and server/discover
            seen = [one for name, one in self._toolsets.items() if name in narrowed.toolsets]
            result = {**result, "instructions": instructions_of(seen)}
        if method in LISTS:
            kind, items, member = LISTS[method]
            kept = [item for item in result[items] if not self._is_hidden(narrowed, kind, item[member])]
            result = {**result, items: kept}
        # A cache between us and several clients tells URLs apart; of our header it knows nothing.
        return {**result, "cacheScope": "private"} if narrowed.by_header and "cacheScope" in result else result


def _has(toolset: Toolset, kind: str, name: Any) -> bool:
    if kind == "resource":
        return isinstance(name, str) and any(resource.match(name) is not None for resource in toolset.resources)
    return any(one.name == name for one in (toolset.tools if kind == "tool" else toolset.prompts))

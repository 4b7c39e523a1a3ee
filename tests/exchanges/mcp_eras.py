"""What MCP clients of both eras send: `initialize` and sessions of 2025, headers and `_meta` of 2026."""

from typing import Any

import httpx2

from tests.edge import BOTH_TYPES, LEGACY, MODERN, messages, request
from tests.exchanges.player import Player

ABOUT = (
    "I have baked bread by the harbour for twenty years. My dough rests for eighteen hours, because it tastes better. "
    "I open at six in the morning, and I sell mostly rye bread to sailors and to people on their way to work."
)
MISSING = "00000000-0000-4000-8000-000000000000"


async def call(play: Player, name: str, tool: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """`tools/call`, recorded as `name`; the structured content of the result."""
    headers, body = request(
        "tools/call", {"name": tool, "arguments": arguments}, era=more.pop("era", LEGACY), key=more.pop("key", play.key)
    )
    response = await play(name, "POST", "/mcp", headers=headers, json_body=body, **more)
    return structured(response)


def structured(response: httpx2.Response) -> dict[str, Any]:
    """The structured content of the last message; empty where there is none."""
    content: dict[str, Any] = messages(response)[-1].get("result", {}).get("structuredContent") or {}
    return content


def created(response: httpx2.Response) -> str:
    """What is told of a new persona but for its training, which may have begun by then or not."""
    content = structured(response)
    return "\n".join([content["name"], *sorted(content)])


def tool_names(response: httpx2.Response) -> str:
    """The names in the answer to `tools/list`."""
    return "\n".join(tool["name"] for tool in messages(response)[-1]["result"]["tools"])


async def rpc(play: Player, name: str, method: str, params: dict[str, Any] | None = None, **more: Any) -> None:
    """One request of `era`; `headers` of None are left out."""
    changed: dict[str, str | None] = more.pop("headers", {})
    headers, body = request(
        method, params, era=more.pop("era", LEGACY), identity=more.pop("identity", 1), key=more.pop("key", play.key)
    )
    sent = {header: value for header, value in {**headers, **changed}.items() if value is not None}
    await play(name, "POST", "/mcp", headers=sent, **{"json_body": body, **more})


async def mcp_2025(play: Player) -> None:
    for version in ("2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"):
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "recorder", "version": "1"}}
        await rpc(play, f"initialize {version}", "initialize", params, headers={"mcp-protocol-version": None})
    await rpc(play, "initialize anonymously", "initialize", {**params, "protocolVersion": LEGACY}, key=None)
    await rpc(play, "initialize without parameters", "initialize", {})
    await rpc(play, "notifications/initialized", "notifications/initialized", identity=None)
    for method in ("ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "no/such"):
        await rpc(play, method, method)
    await rpc(play, "tools/list anonymously", "tools/list", key=None, summary=tool_names)
    await rpc(play, "tools/list with an unknown cursor", "tools/list", {"cursor": "nowhere"}, summary=tool_names)
    await rpc(play, "an id of text", "ping", identity="seven")
    plain: dict[str, str | None] = {"accept": "application/json"}
    await rpc(play, "no/such for JSON alone", "no/such", headers=plain)
    await rpc(play, "an unknown tool for JSON alone", "tools/call", {"name": "no_such_tool"}, headers=plain)
    await _tools(play)
    await _refused(play)
    await _malformed(play)


async def _tools(play: Player) -> None:
    cloned = {"mode": "clone", "personaContext": ABOUT, "discipline": "Baking"}
    create = "create_ai_persona_or_digital_twin"
    made = await call(play, "create a persona", create, {"name": "Ada Baker", **cloned}, summary=created)
    await call(play, "create a persona without a link", create, {"name": "B", "mode": "link"})
    spark = {"sparkId": made["sparkId"]}
    progress = "check_ai_persona_training_progress"
    await call(play, "training", progress, spark, until=lambda answer: bool(structured(answer).get("readyToChat")))
    await call(play, "training of nobody", progress, {"sparkId": MISSING})
    await call(play, "list personas", "list_my_ai_personas", {})
    await call(play, "list personas with a wrong type", "list_my_ai_personas", {"searchQuery": 7})
    await call(play, "talk", "talk_to_ai_persona", {**spark, "message": "What do you bake?"}, show="shape")
    await call(play, "talk to nobody", "talk_to_ai_persona", {"sparkName": "Zed Nobody", "message": "Hello?"})
    group = await call(play, "create a group", "create_group", {"name": "Bakers", "sparkNames": ["Ada Baker"]})
    await call(play, "create a group of nobody", "create_group", {"name": "Nobody", "sparkNames": ["Zed"]})
    await call(play, "list groups", "list_groups", {})
    await call(play, "list groups with an unknown argument", "list_groups", {"colour": "red"})
    panel = await call(play, "create a panel", "create_panel", {"name": "Bread", "groupIds": [group["group"]["id"]]})
    await call(play, "create a panel of no group", "create_panel", {"name": "Empty"})
    await call(play, "list panels", "list_panels", {"searchQuery": "bread"})
    await call(play, "list panels with too long a word", "list_panels", {"searchQuery": "x" * 3000})
    await _panel(play, panel["panelId"])
    await call(play, "an unknown tool", "no_such_tool", {})


async def _panel(play: Player, panel: str) -> None:
    await call(play, "results before any question", "get_panel_results", {"panelId": panel})
    await call(play, "export before any question", "export_panel", {"panelId": panel, "format": "json"})
    question = {"panelId": panel, "question": "On a scale of 1 to 10, how much do you like bread?"}
    done = "completed"
    await call(
        play, "ask", "ask_panel", question, show="shape", until=lambda answer: structured(answer).get("status") == done
    )
    await call(play, "ask nobody", "ask_panel", {"panelName": "Breat", "question": "Why?"})
    await call(play, "results", "get_panel_results", {"panelName": "Bread"}, show="shape")
    await call(play, "results of no panel", "get_panel_results", {"panelId": MISSING})
    await call(play, "export", "export_panel", {"panelId": panel, "format": "json"}, show="shape")
    await call(play, "export in an unknown format", "export_panel", {"panelId": panel, "format": "docx"})


async def _refused(play: Player) -> None:
    for name, key in (("no", None), ("a wrong", "minds_" + "0" * 48), ("a shapeless", "x")):
        await call(play, f"call with {name} credential", "list_panels", {}, key=key)
    await call(play, "call with too few scopes", "list_panels", {}, key=play.narrow_key)
    headers, body = request("ping", key=play.key)
    await play(
        "a credential of another scheme",
        "POST",
        "/mcp",
        headers={**headers, "authorization": "Basic YTpi"},
        json_body=body,
    )
    for origin in ("https://claude.ai", "https://evil.example", "null"):
        await play(f"origin {origin}", "POST", "/mcp", headers={**headers, "origin": origin}, json_body=body)
        asked = {
            "origin": origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization",
        }
        await play(f"preflight from {origin}", "OPTIONS", "/mcp", headers=asked)
    await play("another host", "POST", "/mcp", headers={**headers, "host": "evil.example"}, json_body=body)


async def _malformed(play: Player) -> None:
    headers, body = request("ping", key=play.key)
    for name, content in {
        "no JSON": b"{",
        "no body": b"",
        "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        "an empty batch": b"[]",
        "a number": b"7",
        "another JSON-RPC version": b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        "no method": b'{"jsonrpc":"2.0","id":1}',
        "an id of null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        "parameters as an array": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
        "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        "too deep": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 500 + b"]" * 500 + b"}}",
        "too large": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * 70_000 + b'"}}',
    }.items():
        await play(f"body: {name}", "POST", "/mcp", headers=headers, content=content)
    for name, changed in {
        "content type text": {"content-type": "text/plain"},
        "content type with a charset": {"content-type": "application/json; charset=utf-8"},
        "accept JSON": {"accept": "application/json"},
        "accept events": {"accept": "text/event-stream"},
        "accept anything": {"accept": "*/*"},
        "accept HTML": {"accept": "text/html"},
        "an unknown protocol version": {"mcp-protocol-version": "2024-01-01"},
        "a session that is not there": {"mcp-session-id": "nowhere"},
    }.items():
        await play(name, "POST", "/mcp", headers={**headers, **changed}, json_body=body)
    for method in ("GET", "DELETE", "PUT", "HEAD"):
        await play(
            f"{method} for an event stream", method, "/mcp", headers={"accept": "text/event-stream"}, key=play.key
        )
    await play("a slash at the end", "POST", "/mcp/", headers=headers, json_body=body)


async def mcp_2026(play: Player) -> None:
    for method in ("server/discover", "tools/list", "resources/list", "prompts/list", "ping", "initialize", "no/such"):
        await rpc(play, method, method, era=MODERN)
    await rpc(play, "server/discover anonymously", "server/discover", era=MODERN, key=None)
    await call(play, "a call", "list_groups", {}, era=MODERN)
    await call(play, "a call that fails", "list_groups", {"colour": "red"}, era=MODERN)
    await call(play, "an unknown tool", "no_such_tool", {}, era=MODERN)
    await call(play, "a call without a credential", "list_groups", {}, era=MODERN, key=None)
    await call(play, "a call with too few scopes", "list_groups", {}, era=MODERN, key=play.narrow_key)
    wrong: dict[str, dict[str, str | None]] = {
        "another method in the header": {"mcp-method": "tools/list"},
        "another name in the header": {"mcp-name": "list_panels"},
        "no method in the header": {"mcp-method": None},
        "no name in the header": {"mcp-name": None},
        "no version in the header": {"mcp-protocol-version": None},
        "another version in the header": {"mcp-protocol-version": LEGACY},
        "an unknown version in the header": {"mcp-protocol-version": "2099-01-01"},
        "accept JSON only": {"accept": "application/json"},
        "accept events only": {"accept": "text/event-stream"},
        "content type text": {"content-type": "text/plain"},
    }
    groups = {"name": "list_groups", "arguments": {}}
    for name, headers in wrong.items():
        await rpc(play, name, "tools/call", dict(groups), era=MODERN, headers=headers)
    prefix = "io.modelcontextprotocol/"
    metas: dict[str, dict[str, object]] = {
        "an unknown version in both": {f"{prefix}protocolVersion": "2099-01-01", f"{prefix}clientCapabilities": {}},
        "no capabilities": {f"{prefix}protocolVersion": MODERN},
        "no version in the body": {f"{prefix}clientCapabilities": {}},
    }
    for name, meta in metas.items():
        version = str(meta.get(f"{prefix}protocolVersion", MODERN))
        sent = {"mcp-protocol-version": version, "mcp-method": "tools/list", "accept": BOTH_TYPES}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
        await play(name, "POST", "/mcp", headers=sent, json_body=body, key=play.key)

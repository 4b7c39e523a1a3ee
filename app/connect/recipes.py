"""For each client the steps, the configuration and, where it has one, the link that does it all. Pure."""

import base64
import json
import shlex
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

NAME = "minds"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one client is connected.

    Attributes:
        id: what the address of its page ends in.
        needs: what must be true before, or None.
        steps: in order, each one sentence.
        link: opens the client with everything filled in.
        block: what is pasted into `file`, or run in a terminal when there is no file.

    """

    id: str
    client: str
    steps: tuple[str, ...]
    needs: str | None = None
    link: str | None = None
    block: str | None = None
    file: str | None = None


def recipes(resource: str, real_api: str | None = None) -> tuple[Recipe, ...]:
    """Every client that is known, for the MCP endpoint at `resource`; `real_api` makes the keys if it is not we."""
    return (
        _chatgpt(resource),
        _claude(resource),
        _claude_desktop(resource),
        _claude_code(resource),
        _cursor(resource),
        _vscode(resource),
        _other(resource, real_api),
    )


def is_public(resource: str) -> bool:
    """Whether a client in the cloud can reach it: over https, by a name that is not this machine's own."""
    parts = urlsplit(resource)
    return parts.scheme == "https" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}


def _in_the_cloud(resource: str, client: str) -> str | None:
    if is_public(resource):
        return None
    return f"{client} connects from the internet: put https in front of this server, and set SITE_URL to that address."


def _chatgpt(resource: str) -> Recipe:
    return Recipe(
        id="chatgpt",
        client="ChatGPT",
        needs=_in_the_cloud(resource, "ChatGPT"),
        steps=(
            "On the web, open Settings, Apps, Advanced settings, and turn on Developer mode.",
            "Choose Create app, give it the name Minds, and paste the address below as the MCP server URL.",
            "Leave the authentication on OAuth, confirm, and sign in here when ChatGPT opens this site.",
            "In a new chat, pick Minds from the tools and ask: list my personas.",
        ),
        link="https://chatgpt.com/#settings/Connectors",
        block=resource,
    )


def _claude(resource: str) -> Recipe:
    return Recipe(
        id="claude",
        client="Claude (web, desktop and phone)",
        needs=_in_the_cloud(resource, "Claude"),
        steps=(
            "Open Settings, Connectors, and choose Add custom connector.",
            "Give it the name Minds and paste the address below.",
            "Choose Connect and sign in here when Claude opens this site.",
            "In a new chat, switch Minds on under the tools and ask: list my personas.",
        ),
        link="https://claude.ai/settings/connectors",
        block=resource,
    )


def _claude_desktop(resource: str) -> Recipe:
    bridge = ["-y", "mcp-remote", resource, "--transport", "http-only", *_plain_http(resource)]
    return Recipe(
        id="claude-desktop",
        client="Claude Desktop (configuration file)",
        needs="Node.js on this computer, for the bridge that signs you in.",
        steps=(
            "Open Settings, Developer, Edit Config.",
            "Put the block below into the file and restart Claude Desktop.",
            "Sign in on the page of this site that opens in your browser.",
        ),
        block=_json({"mcpServers": {NAME: {"command": "npx", "args": bridge}}}),
        file="claude_desktop_config.json",
    )


def _claude_code(resource: str) -> Recipe:
    return Recipe(
        id="claude-code",
        client="Claude Code",
        steps=(
            "Run the command below in a terminal.",
            "In Claude Code, type /mcp, choose minds, and sign in on the page of this site that opens.",
        ),
        block=f"claude mcp add --transport http {NAME} {shlex.quote(resource)}",
    )


def _cursor(resource: str) -> Recipe:
    server = {"url": resource}
    config = base64.b64encode(json.dumps(server).encode()).decode()
    return Recipe(
        id="cursor",
        client="Cursor",
        steps=(
            "Choose the button, and Install in Cursor; or put the block below into the file.",
            "In Cursor's settings, under MCP, choose Connect beside minds, and sign in on this site.",
        ),
        link=f"cursor://anysphere.cursor-deeplink/mcp/install?{urlencode({'name': NAME, 'config': config})}",
        block=_json({"mcpServers": {NAME: server}}),
        file="~/.cursor/mcp.json",
    )


def _vscode(resource: str) -> Recipe:
    server = {"type": "http", "url": resource}
    return Recipe(
        id="vscode",
        client="VS Code",
        steps=(
            "Choose the button, and Install; or put the block below into the file.",
            "Start the server from the file or the command MCP: List Servers, and sign in on this site.",
        ),
        link=f"vscode:mcp/install?{quote(json.dumps({'name': NAME, **server}))}",
        block=_json({"servers": {NAME: server}}),
        file=".vscode/mcp.json",
    )


def _other(resource: str, real_api: str | None) -> Recipe:
    source = f"made by the Minds API at {real_api}" if real_api else "made on your account page"
    return Recipe(
        id="other",
        client="Any other client",
        steps=(
            "Give it the address below, with the transport Streamable HTTP.",
            "A client that knows OAuth signs you in by itself.",
            f"One that does not takes an API key, {source}: Authorization: Bearer minds_…",
        ),
        block=resource,
    )


def _plain_http(resource: str) -> tuple[str, ...]:
    return () if resource.startswith("https://") else ("--allow-http",)


def _json(value: object) -> str:
    return json.dumps(value, indent=2)

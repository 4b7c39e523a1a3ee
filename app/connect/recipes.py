"""For each client the steps, the configuration and, where it has one, the link that does it all. Pure.

The sentences are in `recipes.toml`; what differs between gateways is filled in here.
"""

import base64
import json
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

NAME = "minds"
PUBLIC = "{client} connects from the internet: put https in front of this server, and set SITE_URL to that address."
RECIPES = tomllib.loads(Path(__file__).with_name("recipes.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one client is connected; `id` is what the address of its page ends in."""

    id: str
    client: str
    steps: tuple[str, ...]
    needs: str = ""
    link: str = ""
    block: str = ""
    file: str = ""


def recipes(resource: str, real_api: str | None = None) -> tuple[Recipe, ...]:
    """Every client that is known, for the MCP endpoint at `resource`; `real_api` makes the keys if it is not we."""
    server, typed = {"url": resource}, {"type": "http", "url": resource}
    plain = [] if resource.startswith("https://") else ["--allow-http"]
    bridge = ["-y", "mcp-remote", resource, "--transport", "http-only", *plain]
    config = base64.b64encode(json.dumps(server).encode()).decode()
    values = {
        "resource": resource,
        "shell_resource": shlex.quote(resource),
        "bridge_file": json.dumps({"mcpServers": {NAME: {"command": "npx", "args": bridge}}}, indent=2),
        "cursor_query": urlencode({"name": NAME, "config": config}),
        "cursor_file": json.dumps({"mcpServers": {NAME: server}}, indent=2),
        "vscode_query": quote(json.dumps({"name": NAME, **typed})),
        "vscode_file": json.dumps({"servers": {NAME: typed}}, indent=2),
        "key_source": f"made by the Minds API at {real_api}" if real_api else "made on your account page",
    }

    def filled(name: str, recipe: dict[str, str | list[str]]) -> Recipe:
        public = "" if is_public(resource) else PUBLIC.format(client=str(recipe["client"]).partition(" (")[0])
        texts = {key: text.format(**values, public=public) for key, text in recipe.items() if isinstance(text, str)}
        return Recipe(name, steps=tuple(step.format(**values) for step in recipe["steps"]), **texts)

    return tuple(filled(name, recipe) for name, recipe in RECIPES.items())


def is_public(resource: str) -> bool:
    """Whether a client in the cloud can reach it: over https, by a name that is not this machine's own."""
    parts = urlsplit(resource)
    return parts.scheme == "https" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}

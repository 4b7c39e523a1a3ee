"""For each client the steps, the configuration and, where it has one, the link that does it all. Pure.

The sentences are in `recipes.toml`; what differs between gateways is filled in here.
"""

import base64
import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from pydantic import TypeAdapter

NAME = "minds"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one client is connected; `id` is what the address of its part of the page ends in."""

    id: str
    client: str
    kind: str
    profile: str
    steps: tuple[str, ...]
    then: tuple[str, ...]
    hosted: bool = False
    needs: str = ""
    link: str = ""
    command: str = ""
    file: str = ""
    table: str = ""
    install: str = ""
    block: str = ""


RECIPES = TypeAdapter(tuple[Recipe, ...]).validate_python(
    [
        {"id": name, **recipe}
        for name, recipe in tomllib.loads(Path(__file__).with_name("recipes.toml").read_text("utf-8")).items()
    ]
)
INSTALLED = {recipe.install: recipe for recipe in RECIPES if recipe.install}
"""The clients that read a file, by their names for `install`."""


def recipes(resource: str, real_api: str | None = None) -> tuple[Recipe, ...]:
    """Every client that can reach the MCP endpoint at `resource`, the likeliest first; `real_api` makes the keys if it
    is not we.
    """
    config = base64.b64encode(json.dumps(server("cursor", resource)).encode()).decode()
    values = {
        "shell_resource": shlex.quote(resource),
        "cursor_query": urlencode({"name": NAME, "config": config}),
        "vscode_query": quote(json.dumps({"name": NAME, **server("vscode", resource)})),
        "key_source": f"made by the Minds API at {real_api}" if real_api else "made on your account page",
    }
    return tuple(
        replace(
            recipe,
            then=tuple(step.format(**values) for step in recipe.then),
            link=recipe.link.format(**values),
            command=recipe.command.format(**values),
            block=block(recipe, server(recipe.install, resource)) if recipe.file else resource,
        )
        for recipe in RECIPES
        if is_public(resource) or not recipe.hosted
    )


def out_of_reach(resource: str) -> tuple[str, ...]:
    """The clients that connect from the internet, where that cannot be."""
    return () if is_public(resource) else tuple(recipe.client for recipe in RECIPES if recipe.hosted)


def is_public(resource: str) -> bool:
    """Whether a client in the cloud can reach it: over https, by a name that is not this machine's own."""
    parts = urlsplit(resource)
    return parts.scheme == "https" and parts.hostname not in LOCAL_HOSTS


def server(install: str, resource: str) -> dict[str, Any]:
    """What the file of this client says of the MCP endpoint at `resource`."""
    match install:
        case "claude":
            plain = [] if resource.startswith("https://") else ["--allow-http"]
            return {"command": "npx", "args": ["-y", "mcp-remote", resource, "--transport", "http-only", *plain]}
        case "gemini":
            return {"httpUrl": resource}
        case "cursor" | "codex":
            return {"url": resource}
        case _:
            return {"type": "http", "url": resource}


def block(recipe: Recipe, entry: Mapping[str, Any]) -> str:
    """What is pasted into the client's file."""
    if recipe.file.endswith(".toml"):
        return _toml(f"{recipe.table}.{NAME}", entry)
    return json.dumps({recipe.table: {NAME: entry}}, indent=2, ensure_ascii=False)


def _toml(name: str, table: Mapping[str, Any]) -> str:
    """Strings and lists of strings are written alike in TOML and JSON."""
    plain = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if key != "env"]
    return "\n".join([f"[{name}]", *plain, *(["", _toml(f"{name}.env", table["env"])] if "env" in table else [])])

"""The steps are for this very gateway, and what is pasted or opened is what the client reads."""

import base64
import json
import shlex
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from app.connect.recipes import Recipe, is_public, recipes

PUBLIC = "https://mcp.example.com/mcp"
LOCAL = "http://127.0.0.1:8000/mcp"


def recipe(name: str, resource: str = PUBLIC) -> Recipe:
    return next(each for each in recipes(resource) if each.id == name)


def test_every_recipe_holds_the_address_in_full() -> None:
    for each in recipes(PUBLIC):
        assert PUBLIC in each.block, each.id
        assert each.steps


@pytest.mark.parametrize(("name", "needed"), [("chatgpt", True), ("claude", True), ("cursor", False)])
def test_a_client_in_the_cloud_is_told_that_it_cannot_reach_this_machine(name: str, needed: bool) -> None:
    assert bool(recipe(name, LOCAL).needs) is needed
    assert recipe(name).needs == ""


def test_what_is_public_is_https_and_not_this_machine() -> None:
    assert is_public(PUBLIC)
    assert not is_public(LOCAL)
    assert not is_public("https://localhost/mcp")


def test_cursors_link_holds_the_configuration_that_cursor_reads() -> None:
    link = urlsplit(recipe("cursor").link)
    asked = parse_qs(link.query)

    assert (link.scheme, asked["name"]) == ("cursor", ["minds"])
    assert json.loads(base64.b64decode(asked["config"][0])) == {"url": PUBLIC}


def test_vs_codes_link_holds_the_server_as_json() -> None:
    link = recipe("vscode").link

    assert link.startswith("vscode:mcp/install?")
    assert json.loads(unquote(link.partition("?")[2])) == {"name": "minds", "type": "http", "url": PUBLIC}


@pytest.mark.parametrize("name", ["claude-desktop", "cursor", "vscode"])
def test_what_goes_into_a_file_is_json(name: str) -> None:
    each = recipe(name)

    assert each.file
    assert PUBLIC in json.dumps(json.loads(each.block))


def test_the_bridge_may_use_plain_http_on_this_machine_only() -> None:
    assert "--allow-http" in recipe("claude-desktop", LOCAL).block
    assert "--allow-http" not in recipe("claude-desktop").block


def test_the_command_of_claude_code_is_one_command() -> None:
    assert shlex.split(recipe("claude-code").block)[-1] == PUBLIC

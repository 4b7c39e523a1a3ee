"""The steps are for this very gateway, and what is pasted or opened is what the client reads."""

import base64
import json
import shlex
import tomllib
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from app.connect.recipes import INSTALLED, RECIPES, Recipe, is_public, out_of_reach, recipes
from app.doctor.profiles import NAMES

PUBLIC = "https://mcp.example.com/mcp"
LOCAL = "http://127.0.0.1:8000/mcp"


def recipe(name: str, resource: str = PUBLIC) -> Recipe:
    return next(each for each in recipes(resource) if each.id == name)


def test_every_recipe_holds_the_address_in_full() -> None:
    for each in recipes(PUBLIC):
        assert PUBLIC in each.block, each.id
        assert each.steps


def test_on_this_machine_come_its_own_clients_and_those_in_the_cloud_are_named_apart() -> None:
    names = [each.id for each in recipes(LOCAL)]

    assert names[:6] == ["claude-code", "cursor", "vscode", "claude-desktop", "codex", "gemini"]
    assert not {"chatgpt", "claude"} & set(names)
    assert out_of_reach(LOCAL) == ("ChatGPT", "Claude")


def test_at_a_public_address_the_clients_in_the_cloud_come_first() -> None:
    assert [each.id for each in recipes(PUBLIC)][:3] == ["chatgpt", "claude", "claude-code"]
    assert out_of_reach(PUBLIC) == ()


def test_every_client_is_one_that_the_check_can_play() -> None:
    assert {each.profile for each in RECIPES} <= set(NAMES)


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


@pytest.mark.parametrize("name", sorted(INSTALLED))
def test_what_goes_into_a_file_is_in_its_form_under_one_name(name: str) -> None:
    each = recipe(INSTALLED[name].id)
    read = tomllib.loads if each.file.endswith(".toml") else json.loads

    held = read(each.block)

    assert [*held] == [each.table]
    assert [*held[each.table]] == ["minds"]
    assert PUBLIC in json.dumps(held)


def test_gemini_is_given_the_field_for_streamable_http() -> None:
    assert json.loads(recipe("gemini").block)["mcpServers"]["minds"] == {"httpUrl": PUBLIC}


def test_the_bridge_may_use_plain_http_on_this_machine_only() -> None:
    assert "--allow-http" in recipe("claude-desktop", LOCAL).block
    assert "--allow-http" not in recipe("claude-desktop").block


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_the_command_for_a_terminal_is_one_command(name: str) -> None:
    command = shlex.split(recipe(name, "https://mcp.example.com/a b;c/mcp").command)

    assert command[-1] == "https://mcp.example.com/a b;c/mcp"
    assert "minds" in command

"""A toolset is one folder: put beside the others, it is served in both eras, over HTTP and on stdio, unedited."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from pydantic import ValidationError

from app.composition import Parts
from app.process.start_checks import start_problems
from mcp_server import toolsets
from mcp_server.settings import McpSettings
from mcp_server.toolkit.quotations import NOTICE
from mcp_server.toolset import configured_toolsets, discover
from tests import documents
from tests.edge import ERAS, LEGACY, MODERN, running, settings_for, within
from tests.loopback import reply, serving
from tests.mcp_server.stdio_process import HANDSHAKE, started

FOLDER = Path(__file__).resolve().parents[2] / "toolsets"
REPLIES = {"/bergen": reply("200 OK", b'{"sky":"grey"}', Content_Type="application/json")}
SCRIPT = """
import sys
from mcp_server import stdio, toolsets
toolsets.__path__.append(sys.argv.pop())
sys.exit(stdio.main())
"""
ON_STDIO = ("-c", SCRIPT, str(FOLDER))
"""Nothing but the search path differs from `-m mcp_server.stdio`."""


@pytest.fixture(autouse=True)
def _beside_the_others() -> Iterator[None]:
    toolsets.__path__.append(str(FOLDER))
    yield
    toolsets.__path__.remove(str(FOLDER))
    for name in [name for name in sys.modules if name.startswith("mcp_server.toolsets.weather")]:
        del sys.modules[name]


class Asks(Protocol):
    """One request, on whichever transport."""

    async def __call__(self, method: str, params: dict[str, Any], era: str) -> dict[str, Any]: ...


@asynccontextmanager
async def over_http(folder: Path, monkeypatch: pytest.MonkeyPatch, origin: str) -> AsyncIterator[Asks]:
    monkeypatch.setenv("WEATHER_URL", origin)
    settings = settings_for(folder, toolsets="weather")
    assert start_problems(settings, 1) == []
    async with running(settings, Parts()) as edge:

        async def ask(method: str, params: dict[str, Any], era: str) -> dict[str, Any]:
            answer: dict[str, Any] = (await within(edge.rpc(method, params, era=era))).json()
            return answer

        yield ask


@asynccontextmanager
async def on_stdio(folder: Path, _monkeypatch: pytest.MonkeyPatch, origin: str) -> AsyncIterator[Asks]:
    """Without a key, and towards a real API: nothing that is served needs either."""
    async with started(folder, *ON_STDIO, TOOLSETS="weather", WEATHER_URL=origin) as process:
        yield process.ask


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", [over_http, on_stdio])
async def test_a_new_folder_is_served_without_an_edit_anywhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: Any, era: str
) -> None:
    async with serving(REPLIES) as here, transport(tmp_path, monkeypatch, here.origin) as ask:
        hello = await ask("initialize", HANDSHAKE, era) if era == LEGACY else await ask("server/discover", {}, era)
        assert set(hello["result"]["capabilities"]) == {"tools", "resources", "prompts", "completions"}
        assert hello["result"]["instructions"] == f"Ask look_outside before a walk. {NOTICE}"

        [tool] = (await ask("tools/list", {}, era))["result"]["tools"]
        assert tool["name"] == "look_outside"
        called = await ask("tools/call", {"name": "look_outside", "arguments": {"city": "bergen"}}, era)
        assert called["result"]["structuredContent"] == {"city": "bergen", "sky": "grey"}
        await _offers_resources(ask, era)
        await _offers_prompts(ask, era)


async def _offers_resources(ask: Asks, era: str) -> None:
    assert (await ask("resources/list", {}, era))["result"]["resources"] == []
    [template] = (await ask("resources/templates/list", {}, era))["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "weather://{city}/report"
    read = await ask("resources/read", {"uri": "weather://bergen/report"}, era)
    assert read["result"]["contents"][0]["text"] == "bergen: grey for 3 days"
    for uri in ("weather://atlantis/report", "elsewhere://bergen"):
        error = (await ask("resources/read", {"uri": uri}, era))["error"]
        assert (error["code"], error["data"]["code"]) == (404 if era == MODERN else -32003, "RESOURCE_NOT_FOUND")


async def _offers_prompts(ask: Asks, era: str) -> None:
    [prompt] = (await ask("prompts/list", {}, era))["result"]["prompts"]
    assert prompt["arguments"] == [{"name": "city", "description": "Where to walk.", "required": True}]
    got = await ask("prompts/get", {"name": "plan_walk", "arguments": {"city": "bergen"}}, era)
    assert got["result"]["messages"][0]["content"]["text"] == "Plan a walk. bergen: grey for 3 days"
    assert "error" in await ask("prompts/get", {"name": "plan_walk", "arguments": {}}, era)
    for ref in (
        {"type": "ref/prompt", "name": "plan_walk"},
        {"type": "ref/resource", "uri": "weather://{city}/report"},
    ):
        params = {"ref": ref, "argument": {"name": "city", "value": "b"}}
        assert (await ask("completion/complete", params, era))["result"]["completion"]["values"] == ["bergen", "berlin"]


async def test_its_price_is_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(REPLIES) as here, over_http(tmp_path, monkeypatch, here.origin) as ask:
        params = {"name": "look_outside", "arguments": {"city": "bergen"}}
        answers = [await ask("tools/call", params, LEGACY) for _ in range(4)]

    assert ["result" in answer for answer in answers] == [True, True, True, False]  # two of six units each
    assert answers[3]["error"]["data"]["code"] == "RATE_LIMIT_EXCEEDED"


async def test_its_upstream_has_a_breaker_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving({}) as here:
        monkeypatch.setenv("WEATHER_URL", here.origin)
        async with running(settings_for(tmp_path, toolsets="weather"), Parts()) as edge:
            called = await edge.call("look_outside", {"city": "bergen"})
            health = (await edge.client.get("/mcp")).json()["components"]

    assert called.json()["error"]["message"] == "The weather service has no answer"
    assert set(health["upstreams"]["breakers"]) == {f"{here.netloc}:default", f"{here.netloc}:look"}


def test_its_settings_are_read_checked_and_documented_like_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    [weather] = discover(["weather"])
    assert weather.settings is not None
    assert [setting.name for setting in documents.settings(weather.settings, {})] == ["WEATHER_URL", "WEATHER_DAYS"]

    monkeypatch.setenv("WEATHER_DAYS", "0")
    [problem] = start_problems(settings_for(Path("unused"), toolsets="weather"), 1)

    assert problem.startswith("WEATHER_DAYS")


async def test_a_wrong_setting_of_it_ends_stdio_with_one_line(tmp_path: Path) -> None:
    async with started(tmp_path, *ON_STDIO, TOOLSETS="weather", WEATHER_DAYS="0") as process:
        out, err, code = await process.end()

    assert (out, code, err.count(b"\n")) == (b"", 2, 1)


def test_it_is_known_by_its_folder_and_served_only_when_it_is_named() -> None:
    assert McpSettings(_env_file=None, toolsets="weather").toolsets == ("weather",)
    assert "weather" not in [toolset.name for toolset in discover()]
    with pytest.raises(ValidationError, match="weather"):
        McpSettings(_env_file=None, toolsets="wether")


def test_what_is_open_to_everyone_needs_the_scope_of_documentation_where_that_is_not_public() -> None:
    [weather], _ = configured_toolsets(McpSettings(_env_file=None, toolsets="weather", docs_public=False), None)
    [open_weather], _ = configured_toolsets(McpSettings(_env_file=None, toolsets="weather"), None)

    assert {(tool.public, *tool.scopes) for tool in weather.tools} == {(False, "docs:read")}
    assert {(tool.public, *tool.scopes) for tool in open_weather.tools} == {(True,)}


def test_the_names_of_toolsets_stand_in_their_folders_alone() -> None:
    root = Path(toolsets.__file__).parents[2]
    names = [toolset.name for toolset in discover()]
    sources = [
        path
        for package in ("app", "mcp_server", "oauth")
        for path in (root / package).rglob("*.py")
        # A command may have the name of a toolset: `docs index`; and the console is the pages of two of them.
        if not {"toolsets", "internal_api", "minds_api", "console", "__main__.py"} & set(path.parts)
    ]

    assert [path for path in sources for name in names if f'"{name}"' in path.read_text()] == []

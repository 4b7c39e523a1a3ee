"""mcp-remote from a bare address, as a desktop client starts it: registration, the pages, the call, all by itself."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.connect.recipes import recipes
from tests import node
from tests.journeys.clients import PATIENCE, PythonClient, python_over_stdio
from tests.journeys.person import Person, answer_of
from tests.journeys.sign_in_site import SignInSite
from tests.journeys.story import SCOPES, TOOLS

PAUSE = 0.05


class Desktop:
    """A desktop on which mcp-remote runs as the connect page says. What it opens in the browser is a line of a file."""

    def __init__(self, site: SignInSite, folder: Path, *arguments: str) -> None:
        self._house, self._folder = site, folder
        (block,) = (json.loads(each.block) for each in recipes(site.url) if each.id == "claude-desktop")
        _yes, _package, *given = block["mcpServers"]["minds"]["args"]
        self._arguments = (*given, *arguments)
        self._opened, browser = folder / "opened", folder / "browser"
        browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> "{self._opened}"\n')
        browser.chmod(0o755)
        self._variables = {**node.environment(), "HOME": str(folder), "BROWSER": str(browser)}

    @property
    def opened(self) -> list[str]:
        return self._opened.read_text().split() if self._opened.exists() else []

    @asynccontextmanager
    async def bridge(self, era: str) -> AsyncIterator[PythonClient]:
        program = node.program("mcp-remote")
        async with python_over_stdio(program, self._arguments, self._variables, self._folder, era) as client:
            yield client

    async def let_in_by(self, person: Person, without: Collection[str] = ()) -> dict[str, str]:
        """Say yes to what mcp-remote opens next, but not to the scopes `without`, and let the browser go where that
        leads. What was asked for.
        """
        known = len(self.opened)
        async with asyncio.timeout(PATIENCE):
            while len(self.opened) == known:  # noqa: ASYNC110  another process writes the file
                await asyncio.sleep(PAUSE)
            page = await person.asked(self.opened[-1])
            page = await person.press(page, "allow", **{f"scope:{scope}": None for scope in without})
            assert answer_of(page)["iss"] == self._house.origin
            await _listening(page.left or "")
        done = await person.follow(page)
        assert done.status == 200, done.words
        return dict(parse_qsl(urlsplit(self.opened[-1]).query))


async def _listening(address: str) -> None:
    """Return when the callback can be reached: mcp-remote listens a moment after it has opened the browser."""
    parts = urlsplit(address)
    while True:
        try:
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
        except OSError:
            await asyncio.sleep(PAUSE)
        else:
            writer.close()
            return


def desktop_by(way: str, site: SignInSite, folder: Path) -> tuple[Desktop, str]:
    """A desktop whose mcp-remote is known to the gateway in this way, and the form of its client_id."""
    if way == "document":
        described = site.documents.describe(client_name="mcp-remote", token_endpoint_auth_method="none")
        return Desktop(site, folder, "--client-metadata-url", described), re.escape(described)
    return Desktop(site, folder), r"client_[0-9a-f]{32}"


async def test_the_bridge_signs_in_once_for_all_tools(site: SignInSite, tmp_path: Path) -> None:
    desktop = Desktop(site, tmp_path)
    async with site.somebody() as person, desktop.bridge("legacy") as client:
        asked, _empty = await asyncio.gather(desktop.let_in_by(person), client.call("list_my_ai_personas", {}))
        made = await client.call("create_ai_persona_or_digital_twin", {"name": "Once", "mode": "manual"})
        talked = await client.result("talk_to_ai_persona", {"sparkId": made["sparkId"], "message": "Hello"})
        await client.call("create_group", {"name": "Once", "sparkIds": [made["sparkId"]]})
        panels = await client.call("list_panels", {})

    assert set(asked["scope"].split()) - {"offline_access"} == set(SCOPES.split())
    assert "insufficient" not in str(talked)
    assert panels["panels"] == []
    assert len(desktop.opened) == 1


@pytest.mark.parametrize(("way", "era"), [("registration", "legacy"), ("document", "auto")])
async def test_the_bridge_asks_for_more_where_less_was_allowed_and_calls_from_then_on(
    site: SignInSite, tmp_path: Path, way: str, era: str
) -> None:
    desktop, client_id = desktop_by(way, site, tmp_path)
    wish = {"name": "From the bridge", "mode": "manual"}
    without = set(SCOPES.split()) - {"sparks:read"}
    async with site.somebody() as person:
        async with desktop.bridge(era) as client:
            listed = await client.tools()
            asked, empty = await asyncio.gather(
                desktop.let_in_by(person, without), client.call("list_my_ai_personas", {})
            )
            more, made = await asyncio.gather(
                desktop.let_in_by(person), client.call("create_ai_persona_or_digital_twin", wish)
            )
        async with desktop.bridge(era) as client:
            personas = await client.call("list_my_ai_personas", {})

    assert sorted(listed) == list(TOOLS)
    assert re.fullmatch(client_id, asked["client_id"])
    assert more["client_id"] == asked["client_id"]
    assert set(more["scope"].split()) >= {"sparks:read", "sparks:write"}
    assert empty["personas"] == []
    assert [row["id"] for row in personas["personas"]] == [made["sparkId"]]
    assert len(desktop.opened) == 2

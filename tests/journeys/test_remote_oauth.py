"""mcp-remote from a bare address, as a desktop client starts it: registration, the pages, the call, all by itself."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests import node
from tests.journeys.clients import PATIENCE, PythonClient, python_over_stdio
from tests.journeys.house import DESK, House
from tests.journeys.person import Person, answer_of
from tests.journeys.story import TOOLS

PAUSE = 0.05


class Desk:
    """A desktop on which mcp-remote runs. What it opens in the browser is a line of a file."""

    def __init__(self, house: House, folder: Path, *arguments: str) -> None:
        self._house, self._folder = house, folder
        self._arguments = (house.url, "--transport", "http-only", "--allow-http", *arguments)
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

    async def let_in_by(self, person: Person) -> dict[str, str]:
        """Say yes to what mcp-remote opens next, and let the browser go where that leads. What was asked for."""
        known = len(self.opened)
        async with asyncio.timeout(PATIENCE):
            while len(self.opened) == known:  # noqa: ASYNC110  another process writes the file
                await asyncio.sleep(PAUSE)
            page = await person.press(await person.asked(self.opened[-1]), "allow")
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


def desk_by(way: str, house: House, folder: Path) -> tuple[Desk, str]:
    """A desk whose mcp-remote is known to the gateway in this way, and the form of its client_id."""
    if way == "document":
        described = house.shelf.describe(client_name="mcp-remote", token_endpoint_auth_method="none")
        return Desk(house, folder, "--client-metadata-url", described), re.escape(described)
    if way == "settings":
        return Desk(house, folder, "--static-oauth-client-info", json.dumps({"client_id": DESK})), DESK
    return Desk(house, folder), r"client_[0-9a-f]{32}"


@pytest.mark.parametrize(("way", "era"), [("registration", "legacy"), ("document", "auto")])
async def test_the_bridge_signs_in_for_what_a_call_needs_and_calls_from_then_on(
    house: House, tmp_path: Path, way: str, era: str
) -> None:
    desk, client_id = desk_by(way, house, tmp_path)
    wish = {"name": "From the desk", "mode": "manual"}
    async with house.somebody() as person:
        async with desk.bridge(era) as client:
            listed = await client.tools()
            asked, empty = await asyncio.gather(desk.let_in_by(person), client.call("list_my_ai_personas", {}))
            more, made = await asyncio.gather(
                desk.let_in_by(person), client.call("create_ai_persona_or_digital_twin", wish)
            )
        async with desk.bridge(era) as client:
            personas = await client.call("list_my_ai_personas", {})

    assert sorted(listed) == list(TOOLS)
    assert re.fullmatch(client_id, asked["client_id"])
    assert more["client_id"] == asked["client_id"]
    assert set(more["scope"].split()) >= {"sparks:read", "sparks:write"}
    assert empty["personas"] == []
    assert [row["id"] for row in personas["personas"]] == [made["sparkId"]]
    assert len(desk.opened) == 2

"""Signing in on a machine without an API key: the command, the person's page, the stdio server, and out again."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from mcp_server.errors import AuthenticationRequired
from mcp_server.login.keeping import Keeper
from mcp_server.login.words import LOGIN
from tests.journeys.clients import PATIENCE, PythonClient, python_over_stdio, stdio_command
from tests.journeys.person import Page, Person
from tests.journeys.sdk_oauth import app_by
from tests.journeys.sign_in_site import SignInSite
from tests.mcp_server.login.file_keyring import NAME, FileKeyring
from tests.processes import environment

Command = asyncio.subprocess.Process


class Laptop:
    """A machine with a keyring, on which commands are typed."""

    def __init__(self, site: SignInSite, folder: Path) -> None:
        self._house, self._folder = site, folder
        self._ring = folder / "keyring.json"
        self.variables = environment(
            HOME=str(folder),
            XDG_CONFIG_HOME=str(folder),
            PYTHON_KEYRING_BACKEND=NAME,
            KEYRING_FILE=str(self._ring),
            MINDSAI_API_URL=site.origin,
        )

    @property
    def keeper(self) -> Keeper:
        return Keeper(self._folder / "minds-gateway", backend=FileKeyring(self._ring))

    async def typed(self, *words: str) -> Command:
        program, arguments = stdio_command()
        return await asyncio.create_subprocess_exec(
            program, *arguments, *words, "--json", "--url", self._house.origin,
            env=self.variables, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async def login(self, person: Person, answer: str = "approve") -> tuple[int | None, Page]:
        """The command's exit code, and the page that the person saw before they answered."""
        command = await self.typed("login")
        waiting = await told(command)
        page = await person.asked(waiting["verification_uri_complete"])
        done = await person.press(page, answer)
        assert done.status == 200, done.words
        return await asyncio.wait_for(command.wait(), PATIENCE), page

    @asynccontextmanager
    async def server(self) -> AsyncIterator[PythonClient]:
        """The stdio server, as a desktop client starts it: without any key."""
        program, words = stdio_command()
        async with python_over_stdio(program, words, self.variables, self._folder) as client:
            yield client

    def let_the_token_expire(self) -> None:
        kept = self.keeper.load(self._house.origin)
        assert kept is not None
        self.keeper.keep(kept.model_copy(update={"renew_at": 0.0, "expires_at": 0.0}))

    def secrets(self) -> tuple[str, str]:
        """The access token and the refresh token that the keyring holds."""
        kept = self.keeper.load(self._house.origin)
        assert kept is not None
        return kept.access_token.get_secret_value(), kept.refresh_token.get_secret_value()


async def told(command: Command) -> dict[str, Any]:
    """The next line that a program reads."""
    assert command.stdout is not None
    line: dict[str, Any] = json.loads(await asyncio.wait_for(command.stdout.readline(), PATIENCE))
    return line


async def api_status(site: SignInSite, token: str) -> int:
    """What the API that the stdio server calls says to this token."""
    async with site.web(authorization=f"Bearer {token}") as web:
        return (await web.get("/api/v1/minds")).status_code


async def test_a_person_signs_a_machine_in_uses_it_and_signs_it_out(site: SignInSite, tmp_path: Path) -> None:
    laptop = Laptop(site, tmp_path)
    async with site.somebody() as person:
        code, page = await laptop.login(person)
        async with laptop.server() as client:
            made = await client.call("create_ai_persona_or_digital_twin", {"name": "From the laptop", "mode": "manual"})
        first = laptop.secrets()
        laptop.let_the_token_expire()
        async with laptop.server() as client:
            listed = await client.call("list_my_ai_personas", {})
            second = laptop.secrets()
            before = await api_status(site, second[0])
            out = await laptop.typed("logout")
            said = await told(out)
            after = await api_status(site, second[0])
            with pytest.raises(MCPError) as refused:  # the server that runs on knows it as well
                await client.call("list_my_ai_personas", {})
        app = app_by("registration", site, person)
        async with app.connected("auto") as client:
            seen = await client.call("list_my_ai_personas", {})

    assert (code, await out.wait()) == (0, 0)
    assert person.email in page.words
    assert [row["id"] for row in listed["personas"]] == [made["sparkId"]]
    assert seen == listed
    assert not set(first) & set(second)
    assert (said["was_signed_in"], said["revoked"]) == (True, True)
    assert (before, after) == (200, 401)
    assert refused.value.data["code"] == AuthenticationRequired.name
    assert LOGIN in refused.value.message
    assert laptop.keeper.load(site.origin) is None

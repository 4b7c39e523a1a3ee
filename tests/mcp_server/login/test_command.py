"""`login` and `logout` as they are typed, against a gateway on a real port."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import orjson
import pytest
from click.testing import CliRunner
from keyring.core import load_keyring

from mcp_server.login.command import commands
from mcp_server.login.keeping import Keeper
from mcp_server.settings import StdioSettings
from tests import launcher
from tests.edge import LEGACY, within
from tests.mcp_server.login.file_keyring import NAME, FileKeyring
from tests.mcp_server.login.gateway import PENDING, gateway
from tests.mcp_server.stdio_process import started
from tests.processes import environment


@dataclass
class Ended:
    """What a command wrote, and its exit code."""

    out: str
    err: str
    code: int


@dataclass
class Machine:
    """A machine on which commands are typed. Without a keyring, tokens go to a file."""

    folder: Path
    backend: str = NAME

    @property
    def variables(self) -> dict[str, str]:
        return {
            "XDG_CONFIG_HOME": str(self.folder),
            "HOME": str(self.folder),
            "PYTHON_KEYRING_BACKEND": self.backend,
            "KEYRING_FILE": str(self.folder / "keyring.json"),
        }

    @property
    def keeper(self) -> Keeper:
        return Keeper(self.folder / "minds-gateway", backend=FileKeyring(self.folder / "keyring.json"))

    async def run(self, *arguments: str, **settings: str) -> Ended:
        """The command in a thread of this process: a process of its own takes two seconds to start."""

        def invoked() -> Ended:
            variables = environment(**self.variables, **settings)
            with patch.dict(os.environ, variables, clear=True), patch("keyring.get_keyring") as chosen:
                chosen.return_value = load_keyring(self.backend)
                ended = CliRunner().invoke(commands(StdioSettings(_env_file=None)), arguments)
            return Ended(ended.stdout, ended.stderr, ended.exit_code)

        ended: Ended = await within(asyncio.to_thread(invoked))
        return ended


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


SECRETS = ("the-device-code", "access-", "refresh-1", "refresh-2")


async def test_login_shows_where_and_with_which_code_and_keeps_the_tokens(machine: Machine) -> None:
    async with gateway(polls=[PENDING, PENDING]) as made:
        ended = await machine.run("login", MINDSAI_API_URL=made.site)

        kept = machine.keeper.load(made.site)
        assert kept is not None
        assert kept.refresh_token.get_secret_value() == made.current

    assert (ended.code, ended.out) == (0, "")
    for shown in ("BCDF-GHJK", f"{made.site}/oauth/device", "keyring"):
        assert shown in ended.err
    assert not [secret for secret in SECRETS if secret in ended.err]


async def test_login_tells_programs_the_same_in_json(machine: Machine) -> None:
    async with gateway() as made:
        ended = await machine.run("login", "--json", "--url", f"{made.site}/")

    waiting, done = map(orjson.loads, ended.out.splitlines())
    assert (waiting["event"], waiting["user_code"], waiting["verification_uri"]) == (
        "waiting",
        "BCDF-GHJK",
        f"{made.site}/oauth/device",
    )
    assert (done["event"], done["site"]) == ("signed_in", made.site)
    assert f"MINDSAI_API_URL is {made.site}" in ended.err
    assert not [secret for secret in SECRETS if secret in ended.out]


async def test_a_second_login_takes_the_place_of_the_first_and_ends_it(machine: Machine) -> None:
    async with gateway() as made:
        await machine.run("login", MINDSAI_API_URL=made.site)
        await machine.run("login", MINDSAI_API_URL=made.site)

        kept = machine.keeper.load(made.site)
        assert kept is not None
        assert kept.refresh_token.get_secret_value() == "refresh-2"
        assert [form["token"] for form in made.sent("/oauth/revoke")] == ["refresh-1"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, "MINDSAI_API_URL"),
        ({"MINDSAI_API_URL": "http://minds.example.com"}, "https"),
        ({"MINDSAI_API_URL": "http://127.0.0.1:9"}, "no answer"),
    ],
)
async def test_where_no_sign_in_is_to_be_had_login_says_what_to_set(
    machine: Machine, settings: dict[str, str], named: str
) -> None:
    ended = await machine.run("login", **settings)

    assert (ended.code, ended.out) == (1, "")
    assert named in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(("status", "code"), [(404, 1), (200, 0)])
async def test_a_key_is_named_where_it_is_the_only_way_or_counts_more(machine: Machine, status: int, code: int) -> None:
    key = {"MINDSAI_API_KEY": "minds_hunter2"} if status == 200 else {}
    async with gateway(metadata_status=status) as made:
        ended = await machine.run("login", MINDSAI_API_URL=made.site, **key)

    assert (ended.code, "MINDSAI_API_KEY" in ended.err, "hunter2" in ended.err) == (code, True, False)


@pytest.mark.parametrize("heard", [True, False])
async def test_logout_ends_it_there_and_forgets_it_here_and_says_when_it_was_not_heard(
    machine: Machine, heard: bool
) -> None:
    async with gateway(revocation_status=200 if heard else 503) as made:
        await machine.run("login", MINDSAI_API_URL=made.site)

        ended = await machine.run("logout", "--json", MINDSAI_API_URL=made.site)

        assert machine.keeper.load(made.site) is None
        assert (made.current is None) is heard

    assert orjson.loads(ended.out) == {
        "event": "signed_out",
        "site": made.site,
        "was_signed_in": True,
        "revoked": heard,
    }
    assert ended.code == (0 if heard else 1)
    assert ("/account" in ended.err) is not heard


async def test_logout_without_a_sign_in_is_no_failure(machine: Machine) -> None:
    async with gateway() as made:
        ended = await machine.run("logout", MINDSAI_API_URL=made.site)

    assert ended.code == 0
    assert made.requests == []


async def test_logout_with_a_locked_keyring_says_in_a_sentence_what_to_do(machine: Machine) -> None:
    async with gateway() as made:
        await machine.run("login", MINDSAI_API_URL=made.site)

        ended = await machine.run("logout", "--json", MINDSAI_API_URL=made.site, KEYRING_LOCKED="1")

        assert machine.keeper.load(made.site) is not None
        assert made.current == "refresh-1"

    assert (ended.code, orjson.loads(ended.out)["event"]) == (1, "not_signed_out")
    assert "{" not in ended.err
    for named in ("keyring", "KeyringLocked", "logout", f"{made.site}/account"):
        assert named in ended.err


@pytest.mark.slow
async def test_a_word_that_is_no_command_starts_no_server(machine: Machine) -> None:
    process = await asyncio.create_subprocess_exec(
        *launcher.command("mcp_server.stdio", "log-in"),
        env=environment(**machine.variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, _ = await within(process.communicate())

    assert (process.returncode, out) == (2, b"")


@pytest.mark.slow
async def test_a_key_is_used_in_place_of_a_sign_in(machine: Machine) -> None:
    async with gateway() as made:
        await machine.run("login", MINDSAI_API_URL=made.site)
        settings = {"MINDSAI_API_URL": made.site, "MINDSAI_API_KEY": "minds_key", **machine.variables}
        async with started(machine.folder, **settings) as stdio:
            await stdio.handshake()
            refused = await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}}, era=LEGACY)

    assert set(made.bearers) == {"minds_key"}
    assert "MINDSAI_API_KEY" in refused["error"]["message"]

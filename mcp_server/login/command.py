"""`python -m mcp_server.stdio login` and `logout`: words for people on standard error, JSON on standard output."""

import asyncio
import tomllib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import orjson

from mcp_server.login.authorization_server import AuthorizationServer, Waiting, open_client, wait_for_person
from mcp_server.login.keeping import Keeper, Place, token_folder
from mcp_server.login.words import LOGIN, SignInFailed, site_of
from mcp_server.settings import EMBEDDED, StdioSettings

SENTENCES: dict[str, str] = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON on standard output, one object a line.")
SHOWN = {"verification_uri", "verification_uri_complete", "user_code", "expires_in"}  # never the device code
URL = click.option("--url", metavar="SITE", help="The gateway's address; MINDSAI_API_URL where it is not given.")


@dataclass(frozen=True, slots=True)
class _Terminal:
    """Who listens: always a person, and perhaps a program."""

    as_json: bool

    def say(self, text: str) -> None:
        click.echo(text, err=True)

    def tell(self, **event: Any) -> None:
        if self.as_json:
            click.echo(orjson.dumps(event).decode())


class _Troubles(dict[str, dict[str, str]]):
    """What a keeper could not do, for a sentence to the person instead of a line of a log."""

    def __call__(self, event: str, place: Place, fault: Exception) -> None:
        self[event] = {"place": f"{place.title[:1].upper()}{place.title[1:]}", "reason": type(fault).__name__}


def commands(settings: StdioSettings) -> click.Group:
    """The commands for a process with `settings`."""
    group = click.Group(name="python -m mcp_server.stdio", help="The server of desktop clients, over stdio.")

    @group.command()
    @URL
    @AS_JSON
    def login(url: str | None, *, as_json: bool) -> None:
        """Sign in to a gateway, so that the stdio server needs no API key."""
        _run(lambda site: _login(site, settings, _Terminal(as_json)), url or settings.mindsai_api_url)

    @group.command()
    @URL
    @AS_JSON
    def logout(url: str | None, *, as_json: bool) -> None:
        """End the sign-in, at the gateway and here."""
        _run(lambda site: _logout(site, _Terminal(as_json)), url or settings.mindsai_api_url)

    return group


def _run(command: Callable[[str], Coroutine[Any, Any, int]], address: str) -> NoReturn:
    """Run a command for the gateway at `address`, and end with its exit code."""
    if address == EMBEDDED:
        raise click.ClickException(SENTENCES["no_site"])
    try:
        code = asyncio.run(command(site_of(address)))
    except (SignInFailed, OSError) as failure:
        raise click.ClickException(str(failure)) from None
    raise SystemExit(code)


async def _login(site: str, settings: StdioSettings, terminal: _Terminal) -> int:
    troubles = _Troubles()
    keeper = Keeper(token_folder(), trouble=troubles)
    async with open_client() as http:
        server = AuthorizationServer(site, http)
        endpoints = await server.discover()
        place = await asyncio.to_thread(keeper.choose)  # before anybody is asked: a fault would waste their consent
        waiting = await server.begin(endpoints)
        _show(waiting, terminal)
        tokens = await wait_for_person(partial(server.redeem, endpoints, waiting.device_code), waiting)
        async with keeper.locked(site):
            before = await asyncio.to_thread(keeper.load, site)
            await asyncio.to_thread(keeper.keep, tokens, place)
        if before is not None:
            await server.revoke(before)
    terminal.say(f"Signed in to {site}. The tokens are kept in {place.title}.")
    if (unread := troubles.get("tokens_unreadable")) is not None:
        terminal.say(SENTENCES["not_replaced"].format(site=site, **unread))
    if settings.mindsai_api_key is not None:
        terminal.say(SENTENCES["key_counts"])
    if settings.mindsai_api_url == EMBEDDED or site_of(settings.mindsai_api_url) != site:
        terminal.say(SENTENCES["other_site"].format(site=site))
    terminal.tell(event="signed_in", site=site, kept_in=place.title)
    return 0


def _show(waiting: Waiting, terminal: _Terminal) -> None:
    minutes = max(1, round(waiting.expires_in / 60))
    terminal.say(f"Open   {waiting.verification_uri}")
    terminal.say(f"Enter  {waiting.user_code}")
    if waiting.verification_uri_complete is not None:
        terminal.say(f"Or open this, and compare the code:  {waiting.verification_uri_complete}")
    terminal.say(f"Waiting for your decision there; the code is good for {minutes} minutes.")
    terminal.tell(event="waiting", **waiting.model_dump(include=SHOWN))


async def _logout(site: str, terminal: _Terminal) -> int:
    troubles = _Troubles()
    keeper = Keeper(token_folder(), trouble=troubles)
    async with keeper.locked(site), open_client() as http:
        tokens = await asyncio.to_thread(keeper.load, site)
        revoked = tokens is not None and await AuthorizationServer(site, http).revoke(tokens)
        await asyncio.to_thread(keeper.forget, site)
    unread = troubles.get("tokens_unreadable") if tokens is None else None
    left = troubles.get("tokens_not_forgotten")
    if unread is not None and left is not None:
        terminal.say(SENTENCES["unreadable"].format(site=site, **unread))
        terminal.tell(event="not_signed_out", site=site, **unread)
        return 1
    was_signed_in = tokens is not None or unread is not None
    if not was_signed_in:
        terminal.say(f"Nobody is signed in to {site} on this machine; `{LOGIN}` does that.")
    else:
        terminal.say(f"Signed out of {site}." if revoked else SENTENCES["not_revoked"].format(site=site))
    if left is not None:
        terminal.say(SENTENCES["not_cleared"].format(site=site, **left))
    terminal.tell(event="signed_out", site=site, was_signed_in=was_signed_in, revoked=revoked)
    return 1 if was_signed_in and not revoked else 0

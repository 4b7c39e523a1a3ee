"""The process of desktop clients: the same server, over standard input and output, for one key or sign-in."""

import asyncio
import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pkgutil import resolve_name
from typing import Any, cast

import anyio
import structlog
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_settings import BaseSettings

from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder, stdio_recorder
from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.factory import create_server
from mcp_server.limits.rules import Limits, RateRules
from mcp_server.limits.windows import InMemorySlidingWindow
from mcp_server.login.words import CLIENT_ID, SignInFailed, site_of
from mcp_server.minds_api.child_process import MISTAKE, PLACEHOLDER, PROJECT, EmbeddedProcess
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.minds_api.dialect import Dialect
from mcp_server.observability import logging
from mcp_server.observability.gc_tuning import freeze, paused
from mcp_server.protocol.stdio_lines import Unanswered, claim_input, read_messages, relay
from mcp_server.runtime import Runtime
from mcp_server.settings import (
    EMBEDDED,
    McpSettings,
    StdioSettings,
    settings_problems,
    unknown_settings,
    wrong_settings,
)
from mcp_server.stdio_options import Options, read_options
from mcp_server.toolkit.files import FileStore, LocalFiles
from mcp_server.toolset import DATABASE, MINDS, Toolset, configured_toolsets
from mcp_server.upstream.network import Network

CHILD_SETTINGS = "app.internal_api.engines.settings:EngineSettings", "app.internal_api.settings:InternalApiSettings"

log = structlog.get_logger(__name__)


def configured_caller(settings: StdioSettings, toolsets: Sequence[Toolset]) -> Caller:
    """The one caller of this process. Which scopes its key has is the internal API's to say: it refuses the rest."""
    scopes = frozenset(scope for toolset in toolsets for tool in toolset.tools for scope in tool.scopes)
    if settings.mindsai_api_key is None:
        # Whoever has signed in on this machine, if anybody: `SignedIn` knows, and says so when it matters.
        here = Caller(kind="oauth", subject="stdio", scopes=scopes, client_id=CLIENT_ID)
        return ANONYMOUS if sign_in_site(settings, toolsets) is None else here
    return Caller(kind="api_key", subject="stdio", scopes=scopes, credential=settings.mindsai_api_key)


def store_of(settings: McpSettings) -> FileStore:
    """Where files are kept: in the same `DATA_DIR` as the embedded API's, wherever the client starts this process."""
    return FileStore(PROJECT / settings.data_dir, lifetime=settings.export_link_seconds)


def limits_of(settings: McpSettings, toolsets: Sequence[Toolset], recorder: Recorder) -> Limits | None:
    """The limits of the HTTP server, counted for the one caller of this process."""

    def refused(rule: str) -> None:
        recorder.record(Entry(Event.RATE_LIMIT_EXCEEDED, "refused", reason=rule))

    if not settings.rate_limit_enabled:
        return None
    tools = {tool.name: tool for toolset in toolsets for tool in toolset.tools}
    rules = RateRules(
        settings.rate_limit_anonymous, settings.rate_limit_authenticated, settings.rate_limit_tools, tools
    )
    return Limits(InMemorySlidingWindow().hit, rules, refused)


def sign_in_site(settings: StdioSettings, toolsets: Sequence[Toolset]) -> str | None:
    """The gateway at which one signs in; None where a key is given, where nothing that is served wants either, or where
    no sign-in is to be had.
    """
    is_open = all(MINDS not in toolset.needs and all(tool.public for tool in toolset.tools) for toolset in toolsets)
    if is_open or settings.mindsai_api_key is not None or settings.mindsai_api_url == EMBEDDED:
        return None
    try:
        return site_of(settings.mindsai_api_url)
    except SignInFailed:  # a plain http address in some network: only a key can be used there
        return None


async def opened_database(settings: StdioSettings, stack: AsyncExitStack) -> Any:
    """The gateway's own, with the newest schema. Ends the process in one line where it cannot be used."""
    address, open_engine, first_line, upgrade = (
        resolve_name(f"app.storage.{name}")
        for name in ("engine:database_url", "engine:open_engine", "engine:first_line", "migrate:upgrade")
    )
    url = settings.database_url and settings.database_url.get_secret_value()
    try:
        engine = open_engine(address(url, PROJECT / settings.data_dir))
        stack.push_async_callback(engine.dispose)
        await upgrade(engine)
    except Exception as fault:  # noqa: BLE001  each driver has its own
        log.error("cannot_start", reason=f"DATABASE_URL: {first_line(fault)}")  # noqa: TRY400  needs no trace
        raise SystemExit(2) from None
    return engine


async def opened_runtime(
    settings: StdioSettings,
    toolsets: Sequence[Toolset],
    own: Sequence[BaseSettings],
    files: LocalFiles,
    stack: AsyncExitStack,
) -> Runtime:
    """The runtime; with a child that serves the embedded API only where a toolset needs it."""
    more: dict[str, Any] = {"toolset_settings": own, "files": files}
    if needs_child(settings, toolsets):
        serving = cast("asyncio.Task[None]", asyncio.current_task())
        child = await stack.enter_async_context(EmbeddedProcess(on_mistake=serving.cancel))
        more |= {"transport": child, "credentials": child, "ready": child.started, "dialect": Dialect.CURRENT}
    elif (site := sign_in_site(settings, toolsets)) is not None:
        login, keeping = (resolve_name(f"mcp_server.login.{name}") for name in ("signed_in", "keeping"))
        signed_in = login.SignedIn(site, keeping.Keeper(keeping.token_folder()), Network())
        more |= {"transport": signed_in, "credentials": signed_in, "ready": signed_in.ready}
    else:
        more["credentials"] = OwnKey()
    if any(DATABASE in toolset.needs for toolset in toolsets):
        more["database"] = await opened_database(settings, stack)
    url = PLACEHOLDER if settings.mindsai_api_url == EMBEDDED else settings.mindsai_api_url
    return Runtime(settings, toolsets, api_url=url, **more)


async def serve(settings: StdioSettings, toolsets: Sequence[Toolset], own: Sequence[BaseSettings]) -> None:
    """Serve until standard input ends. `own` are the settings of the toolsets."""
    current_caller.set(configured_caller(settings, toolsets))
    store = store_of(settings)
    files = LocalFiles(store)
    recorder = stdio_recorder(settings, settings.data_dir)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(recorder.running())
        await stack.enter_async_context(store.sweeping())
        runtime = await opened_runtime(settings, toolsets, own, files, stack)
        limits = limits_of(settings, toolsets, recorder)
        begin, record = recorder.tool_invoked, recorder.tool_called
        server = create_server(runtime, toolsets, record=record, begin=begin, limits=limits, is_connection=True)
        freeze()
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        unused, write = await stack.enter_async_context(stdio_server(stdin=anyio.wrap_file(io.StringIO())))
        unused.close()
        outgoing, spoken = anyio.create_memory_object_stream[SessionMessage](0)
        unanswered = Unanswered()
        tasks = await stack.enter_async_context(anyio.create_task_group())
        tasks.start_soon(read_messages, claim_input(), incoming, write.send, unanswered)
        tasks.start_soon(relay, spoken, write, unanswered)
        await server.run(read, outgoing, server.create_initialization_options())


def needs_child(settings: StdioSettings, toolsets: Sequence[Toolset]) -> bool:
    """Whether anything that is served works on the embedded API."""
    return settings.mindsai_api_url == EMBEDDED and any(MINDS in toolset.needs for toolset in toolsets)


def start_problems(settings: StdioSettings, toolsets: Sequence[Toolset] = ()) -> list[str]:
    """Names of settings that are misspelt, a folder that is, where no key would be known, and what stops the child."""
    # The file is read by the HTTP process as well, whose settings are not known here.
    problems = unknown_settings([StdioSettings], PROJECT / ".env", owns_file=False)
    if needs_child(settings, toolsets):
        problems += wrong_settings(*map(resolve_name, CHILD_SETTINGS), _env_file=PROJECT / ".env")
    folder = (PROJECT / settings.data_dir).resolve()
    if folder != PROJECT / McpSettings.model_fields["data_dir"].default and not folder.is_dir():
        problems.append(f"DATA_DIR: {folder} does not exist; name the folder of your server, or make this one")
    return problems


def main() -> int:
    """Run what the command line says, by default the server, or say in one line why not."""
    logging.configure()  # to standard error: standard output belongs to the protocol
    try:
        options = read_options(sys.argv[1:]) if sys.argv[1:2] and sys.argv[1].startswith("-") else Options()
        settings = StdioSettings(_env_file=PROJECT / ".env", **options.settings)
        if sys.argv[1:] and not sys.argv[1].startswith("-"):
            commands = resolve_name("mcp_server.login.command:commands")
            commands(settings)(sys.argv[1:], prog_name="python -m mcp_server.stdio")
        settings = settings.model_copy(update={"data_dir": (PROJECT / settings.data_dir).resolve()})
        # What an import prints must not stand before the first message.
        with contextlib.redirect_stdout(sys.stderr), paused():
            toolsets, own = configured_toolsets(settings, PROJECT / ".env", **options.toolsets)
        if problems := [*start_problems(settings, toolsets), *options.problems(own)]:
            log.error("cannot_start", reason="; ".join(problems))
            return 2
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread waits for input, and Python would wait for the thread
        asyncio.run(serve(settings, toolsets, own))
    except asyncio.CancelledError:  # by the child, which has said which setting is wrong; all is closed by now
        os._exit(MISTAKE)  # a thread waits for input, and Python would wait for the thread
    except ValidationError as error:
        log.error("cannot_start", reason="; ".join(settings_problems(error)))  # noqa: TRY400  a configuration fault needs no trace
        return 2
    return 0

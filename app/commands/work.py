"""Around every command on accounts and keys: settings, database, schema, the audit log, and what went wrong."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pkgutil import resolve_name
from typing import TypeVar

import click
from pydantic import ValidationError
from pydantic_settings import BaseSettings
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.recording import open_recorder
from app.internal_api.engines.settings import EngineSettings, discover
from app.internal_api.settings import InternalApiSettings
from app.redis_shared import connected
from app.settings import Settings
from app.storage.engine import first_line, open_engine
from app.storage.migrate import upgrade
from mcp_server.audit.entries import Entry
from mcp_server.settings import StdioSettings, settings_problems, toolset_names, unknown_settings
from oauth.errors import Refused, StoreUnavailable
from oauth.stores import Stores

Result = TypeVar("Result")


class Mistake(click.ClickException):
    """The user can correct it."""

    exit_code = 2


def run(
    action: Callable[[Stores], Awaitable[Result]], audited: Callable[[Result], Entry | None] = lambda _: None
) -> Result:
    """Run the action on the database that the environment names, and record it in the audit log. As `run_on_engine`."""
    settings = read_settings()

    async def recorded(engine: AsyncEngine) -> Result:
        result = await action(Stores(engine))
        if (entry := audited(result)) is not None:
            recorder = open_recorder(settings, engine, "command")
            entry.time = time.time()  # rows of a chain are in the order of time, and this chain begins here
            async with recorder.running():
                recorder.record(entry)
        return result

    return run_on_engine(settings, recorded)


def run_on_engine(settings: Settings, action: Callable[[AsyncEngine], Awaitable[Result]]) -> Result:
    """Run the action on the database that the environment names, with its schema brought up to date.

    Raises `Mistake`: what was asked is refused, or the environment is wrong; exit code 2; `ClickException`: the
    database gave no answer; exit code 1.
    """

    async def on_database() -> Result:
        engine = open_engine(settings.database)
        try:
            await upgrade(engine)
            async with connected(settings, engine):
                return await action(engine)
        finally:
            await engine.dispose()

    try:
        return asyncio.run(on_database())
    except Refused as refusal:
        raise Mistake(str(refusal)) from None
    except BrokenPipeError:  # who read what is printed has read enough; click ends quietly
        raise
    except (StoreUnavailable, SQLAlchemyError, OSError) as fault:
        shown = settings.database.render_as_string(hide_password=True)
        raise click.ClickException(f"The database {shown} cannot be used: {first_line(fault)}.") from None


def read_settings() -> Settings:
    """The settings of the environment and of `.env`.

    Raises `Mistake`: a setting has an impossible value, or a name that there is not.
    """
    if unknown := misspelt():
        raise Mistake("; ".join(unknown))
    try:
        return Settings()
    except ValidationError as error:
        raise Mistake("; ".join(settings_problems(error))) from None


def misspelt() -> list[str]:
    """A line for each name in the environment and in `.env` that misses a setting: it would be ignored in silence.

    The toolsets, with the library of the protocol, are imported only where there may be one.
    """
    models: list[type[BaseSettings]] = [Settings, StdioSettings, InternalApiSettings, EngineSettings]
    if not unknown_settings(models):
        return []
    own = [one.settings for one in resolve_name("mcp_server.toolset:discover")(toolset_names()) if one.settings]
    return unknown_settings([*models, *own])


def find_language_model(settings: Settings) -> str:
    """Look for a model where `LLM_DISCOVER` says so, for this process and its children; the line that tells of it."""
    found, said = asyncio.run(discover(EngineSettings(), settings.port)) if settings.is_embedded else ({}, "")
    os.environ.update(found)
    return said

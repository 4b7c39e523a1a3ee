"""Writes the entry of this server into a client's own file; everything else in the file stays."""

import json
import os
import re
import shutil
import sys
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from platformdirs import user_config_path
from pydantic_settings import BaseSettings

from app.connect import jsonc
from app.connect.recipes import NAME, Recipe, block
from oauth.primitives.parameters import named_once

KEY = "MINDSAI_API_KEY"
REFERENCES = {"cursor": f"${{env:{KEY}}}", "gemini": f"${KEY}"}
"""How a client's file names a variable of the client's own environment. The others hand their environment on."""


class Homes(BaseSettings):
    """Where clients were told to keep their files, by their own variables."""

    claude_config_dir: Path | None = None
    codex_home: Path | None = None
    gemini_cli_home: Path | None = None


class Unreadable(Exception):
    """The file cannot be changed without the risk of losing something; says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """What the file holds, None where there is none, and what it is to hold."""

    path: Path
    before: bytes | None
    after: bytes

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def path_of(client: str, home: Path, config: Path, homes: Homes) -> Path:
    """The file of this client; `config` is the folder in which programs keep their settings on this system."""
    return {
        "claude": config / "Claude" / "claude_desktop_config.json",
        "claude-code": (homes.claude_config_dir or home) / ".claude.json",
        "cursor": home / ".cursor" / "mcp.json",
        "vscode": config / "Code" / "User" / "mcp.json",
        "codex": (homes.codex_home or home / ".codex") / "config.toml",
        "gemini": (homes.gemini_cli_home or home) / ".gemini" / "settings.json",
    }[client]


def own_path(client: str) -> Path:
    """The file of this client, for who runs this process."""
    return path_of(client, Path.home(), user_config_path(roaming=True), Homes())


def process(client: str, data_dir: Path, key: str = "") -> dict[str, Any]:
    """What the file of this client says where it starts the server itself, over stdio."""
    named = key or REFERENCES.get(client)
    return {
        **({"type": "stdio"} if client in {"claude-code", "vscode"} else {}),
        "command": sys.executable,
        "args": ["-P", "-m", "mcp_server.stdio"],
        **({"env_vars": [KEY]} if client == "codex" and not key else {}),
        "env": {**({KEY: named} if named else {}), "DATA_DIR": str(data_dir.absolute())},
    }


def change(path: Path, recipe: Recipe, entry: dict[str, Any]) -> Change:
    """What is to be done so that the file has this entry. Raises `Unreadable`, and `OSError`.

    The result is read again to see that it says what is meant.
    """
    path = path.resolve()  # a link to it, as those who keep their settings in one place make, stays a link
    before = path.read_bytes() if path.exists() else None
    is_toml = recipe.file.endswith(".toml")
    read = tomllib.loads if is_toml else _read_json
    try:
        text = (before or b"").decode("utf-8-sig")
        wanted = read(text)
        servers = _servers(wanted, recipe.table)
        if servers.get(NAME) == entry:
            return Change(path, before, before or b"")
        servers[NAME] = entry
        after = _edited_toml(text, recipe, entry) if is_toml else jsonc.edited(text, recipe.table, NAME, entry)
    except ValueError as fault:
        raise Unreadable(str(fault).partition("\n")[0]) from None
    with suppress(ValueError):
        if read(after) == wanted:
            return Change(path, before, after.encode())
    raise Unreadable("it is written in a way that cannot be changed safely")


def write(wanted: Change, now: datetime) -> Path | None:
    """Put the file there in one step, which nobody sees half of; the place of the former one, where there was any."""
    path, backup = wanted.path, None
    path.parent.mkdir(parents=True, exist_ok=True)
    if wanted.before is not None:
        backup = path.with_name(f"{path.name}.{now:%Y%m%dT%H%M%S.%fZ}.bak")
        shutil.copy2(path, backup)
    descriptor, draft = mkstemp(dir=path.parent, prefix=f".{path.name}.")  # for its owner alone
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(wanted.after)
            file.flush()
            os.fsync(descriptor)
        if backup:
            shutil.copymode(backup, draft)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink()
        raise
    return backup


def _read_json(text: str) -> Any:
    bare = jsonc.plain(text)
    return json.loads(bare, object_pairs_hook=named_once) if bare.strip() else {}


def _edited_toml(text: str, recipe: Recipe, entry: dict[str, Any]) -> str:
    """Not a character outside the one table changes."""
    is_own = re.compile(rf'[ \t]*\[[ \t]*{recipe.table}[ \t]*\.[ \t]*"?{NAME}"?[ \t]*[.\]]').match
    parts = re.split(r"^(?=[ \t]*\[)", text, flags=re.MULTILINE)
    own = [place for place, part in enumerate(parts) if is_own(part)]
    for place in own:
        parts[place] = _comments_after(parts[place])
    gap = "" if own or not text else "\n" if text.endswith("\n") else "\n\n"
    parts.insert(own[0] if own else len(parts), f"{gap}{block(recipe, entry)}\n")
    return "".join(parts)


def _comments_after(table: str) -> str:
    """The empty lines and comments at its end, which belong to what comes next."""
    lines = table.splitlines(keepends=True)
    end = next((place for place in reversed(range(len(lines))) if lines[place].split("#")[0].strip()), -1)
    return "".join(lines[end + 1 :])


def _servers(document: Any, table: str) -> dict[str, Any]:
    found = document.setdefault(table, {}) if isinstance(document, dict) else None
    if not isinstance(found, dict):
        raise ValueError(f"it has no table {table} of servers")  # noqa: TRY004  what the file holds is no type of ours
    return found

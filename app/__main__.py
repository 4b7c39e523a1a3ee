"""`python -m app`, and the console script `minds-gateway`: the commands by name.

The server's modules take most of a second to import. `--help` and most commands need none of them, so the
root knows its commands as strings, and imports a command's module only when that command is called. Every import
inside a module stays at its top, where it can be seen and checked.
"""

import pkgutil
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from mcp_server.observability.gc_tuning import paused


class LazyGroup(click.Group):
    """A group of commands by name: where each is, as `module:attribute`, and the line about it in the list of commands.

    A mistake is one line on stderr, with exit code 2.
    """

    def __init__(self, places: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self._places:
            return None
        with paused(), pkgutil.resolve_name("mcp_server.sparing:sparing")():
            command: click.Command = pkgutil.resolve_name(self._places[cmd_name][0])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, short_help) for name, (_, short_help) in self._places.items()])

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        try:
            code = super().main(*args, **settings | {"standalone_mode": False})
        except NoArgsIsHelpError as nothing_asked:
            nothing_asked.show()
            sys.exit(nothing_asked.exit_code)
        except click.ClickException as mistake:
            click.echo(f"Error: {_one_line(mistake)}", err=True)
            sys.exit(mistake.exit_code)
        except click.Abort:
            click.echo("Aborted.", err=True)
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)


def _one_line(mistake: click.ClickException) -> str:
    message = " ".join(mistake.format_message().split())
    if isinstance(mistake, click.UsageError) and mistake.ctx is not None:
        return f"{message} See {mistake.ctx.command_path} --help."
    return message


COMMANDS = {
    "serve": ("app.commands.serve:serve", "Serve MCP over HTTP."),
    "check": ("app.commands.check:check", "Say what would keep a server from starting."),
    "keys": ("app.commands.keys:keys", "API keys: create, list, revoke, rotate."),
    "internal-api": ("app.commands.internal_api:internal_api", "The embedded API alone, for stdio."),
    "install": ("app.commands.install:install", "Write this server into the file of a client, such as Cursor."),
    "doctor": ("app.commands.doctor:doctor", "Play the known clients against a gateway, say what stops them."),
    "articles": ("app.commands.articles:articles", "The knowledge base: import, export, publish, list and more."),
    "docs": ("app.commands.docs:docs", "The documentation folder: its index."),
    "manifests": ("app.commands.manifests:manifests", "Documentation sites: add, list, refresh, remove, validate."),
    "clients": ("app.commands.clients:clients", "OAuth clients: list and revoke."),
    "audit": ("app.commands.audit:audit", "The audit log: tail, verify, export."),
    "restored": ("app.commands.clients:restored", "After restoring a backup: end all that was issued."),
    "secrets": ("app.commands.secrets:secrets", "The secret of the installation: rotate, reseal."),
    "users": ("app.commands.users:users", "Accounts and their passwords: create, list, disable, delete, set, reset."),
}


def root() -> LazyGroup:
    return LazyGroup(COMMANDS, help="One safe MCP endpoint in front of the Minds personas and panels API.")


def main() -> None:
    root().main()


if __name__ == "__main__":
    main()

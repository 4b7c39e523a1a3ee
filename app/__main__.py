"""`python -m app`, and the console script `minds-gateway`: the commands by name."""

from app.commands.lazy import LazyCommand, LazyGroup

COMMANDS = {
    "serve": LazyCommand("app.commands.serve:serve", "Serve MCP over HTTP."),
    "check": LazyCommand("app.commands.check:check", "Say what would keep a server from starting."),
    "keys": LazyCommand("app.commands.keys:keys", "API keys: create, list, revoke, rotate."),
    "internal-api": LazyCommand("app.commands.internal_api:internal_api", "The embedded API alone, for stdio."),
    "doctor": LazyCommand(
        "app.commands.doctor:doctor", "Play the known clients against a gateway, say what stops them."
    ),
    "clients": LazyCommand("app.commands.clients:clients", "OAuth clients: list and revoke."),
    "audit": LazyCommand("app.commands.audit:audit", "The audit log: tail, verify, export."),
    "restored": LazyCommand("app.commands.clients:restored", "After restoring a backup: end all that was issued."),
    "users": LazyCommand("app.commands.users:users", "Accounts: create, list, disable, enable."),
}


def root() -> LazyGroup:
    return LazyGroup(COMMANDS, help="One safe MCP endpoint in front of the Minds personas and panels API.")


def main() -> None:
    root().main()


if __name__ == "__main__":
    main()

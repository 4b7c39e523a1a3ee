"""Classes of operations of the internal API. Each has its own timeout and its own breaker."""

from collections.abc import Mapping
from enum import StrEnum

from mcp_server.settings import McpSettings


class Operation(StrEnum):
    """The classes of the published table, and one for whose key it is."""

    DEFAULT = "default"
    CREATE = "create"
    CHAT = "chat"
    ASK = "ask"
    POLLING = "polling"
    # Apart from the polls, which are the same small question: one persona whose state is an error, asked for again and
    # again, would leave nobody's key to be checked.
    IDENTITY = "identity"


def timeouts(settings: McpSettings) -> Mapping[str, float]:
    """The seconds that a response may take; a stream has to open within them."""
    return {
        Operation.DEFAULT: settings.timeout_default,
        Operation.CREATE: settings.timeout_create,
        Operation.CHAT: settings.timeout_chat,
        Operation.ASK: settings.timeout_chat,
        Operation.POLLING: settings.timeout_polling,
        Operation.IDENTITY: settings.timeout_polling,
    }

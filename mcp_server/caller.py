"""Who is calling: the principal of one request."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal, what it may do, and the credential that it may use upstream.

    `credential` is a key that goes along to the internal API: towards a real one the caller's own, or the one that the
    person has linked on the page `account_url`; on stdio the key of the process. Over HTTP there is none towards the
    embedded API, to which the gateway speaks for its caller with tokens of its own. A token issued to an MCP client is
    never one: it stays here (minds-api.md 12.6). `again` finds the caller of the same credential once more; None is
    one that has ended meanwhile.
    """

    kind: Literal["anonymous", "api_key", "oauth"] = "anonymous"
    subject: str | None = None
    scopes: frozenset[str] = frozenset()
    client_id: str | None = None
    credential: SecretStr | None = None
    account_url: str = ""
    again: "Callable[[], Awaitable[Caller | None]] | None" = field(default=None, compare=False, repr=False)

    @property
    def is_anonymous(self) -> bool:
        return self.kind == "anonymous"

    @property
    def owner(self) -> str | None:
        """The account with which this caller may share results. An anonymous caller is nobody in particular."""
        return None if self.is_anonymous or self.subject is None else f"subject:{self.subject}"


ANONYMOUS = Caller()

current_caller: ContextVar[Caller] = ContextVar("current_caller", default=ANONYMOUS)
"""Set at the edge for each request, or once on stdio; read where a credential is added or an event is written."""

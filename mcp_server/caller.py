"""Who is calling: the principal of one request."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal, what it may do, and the credential that it may use upstream.

    `credential` is the caller's own key for the internal API. A token issued to an MCP client is never one:
    it stays here, and the way out has its own (minds-api.md 12.6).
    """

    kind: Literal["anonymous", "api_key", "oauth"] = "anonymous"
    subject: str | None = None
    scopes: frozenset[str] = frozenset()
    client_id: str | None = None
    credential: SecretStr | None = None

    @property
    def is_anonymous(self) -> bool:
        return self.kind == "anonymous"


ANONYMOUS = Caller()

current_caller: ContextVar[Caller] = ContextVar("current_caller", default=ANONYMOUS)
"""Set at the edge for each request, or once on stdio; read where a credential is added or an event is written."""

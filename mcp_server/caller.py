"""Who is calling: the principal of one request."""

from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal, what it may do, and the credential that it may use upstream.

    `credential` is a key that goes along to the internal API: towards a real one the caller's own, or the one that the
    person has linked on the page `account_url`; on stdio the key of the process. Over HTTP there is none towards the
    embedded API, to which the gateway speaks for its caller with tokens of its own. A token issued to an MCP client is
    never one: it stays here (minds-api.md 12.6).
    """

    kind: Literal["anonymous", "api_key", "oauth"] = "anonymous"
    subject: str | None = None
    scopes: frozenset[str] = frozenset()
    client_id: str | None = None
    credential: SecretStr | None = None
    account_url: str = ""

    @property
    def is_anonymous(self) -> bool:
        return self.kind == "anonymous"

    @property
    def owner(self) -> str | None:
        """Who may share results with this caller: the same account or, where it is not known, the holder of the same
        credential. Nobody shares with an anonymous caller, who is nobody in particular.
        """
        if self.kind == "anonymous":
            return None
        if self.subject is not None:
            return f"subject:{self.subject}"
        return sha256(self.credential.get_secret_value().encode()).hexdigest() if self.credential is not None else None


ANONYMOUS = Caller()

current_caller: ContextVar[Caller] = ContextVar("current_caller", default=ANONYMOUS)
"""Set at the edge for each request, or once on stdio; read where a credential is added or an event is written."""

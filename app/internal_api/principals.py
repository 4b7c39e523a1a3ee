"""Who asks: the principal behind a bearer credential, found by whoever composes the API."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller. `user_id` is the account's UUID, or that of the account all demo visitors share.

    A `demo` principal is an anonymous visitor: it may create demo minds, and reach one only with its token.
    """

    user_id: str
    scopes: frozenset[str]
    demo: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of a credential that the host has checked before the API; None is nobody."""

    principal: Principal | None


current_check: ContextVar[Checked | None] = ContextVar("internal_api_check", default=None)
"""Set by a host around a request whose credential it has checked. Unset, the API asks its `Principals`."""


class Principals(Protocol):
    """Finds the principal of a bearer credential; None for any that is unknown, expired or revoked.

    `visitor` is who asks without any credential, where a demo token may stand for one.
    """

    async def find(self, bearer: str) -> Principal | None: ...

    def visitor(self) -> Principal: ...

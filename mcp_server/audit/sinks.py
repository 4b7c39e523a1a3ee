"""Where rows are kept or sent. One that only sends has no heads and forgets nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mcp_server.audit.chain import Row


class SinkFailed(Exception):
    """The rows are not there yet; the same rows will be written again. The text says why, without their content."""


@dataclass(frozen=True, slots=True)
class Head:
    """A row of a chain by number and mark."""

    seq: int
    hash: str


Heads = Mapping[str, Head]


class Sink:
    """One place for rows. Rows come in order; after a failure the same come again, so writing twice must be once.

    Attributes:
        is_durable: rows written here survive the process, so that an answer may wait for them.

    """

    name: ClassVar[str]
    is_durable: ClassVar[bool] = False

    async def write(self, rows: Sequence[Row]) -> None:
        """Keep or send `rows`.

        Raises:
            SinkFailed: that was not possible.

        """
        raise NotImplementedError

    async def heads(self) -> Heads:
        """The latest rows of the latest chains here, for the first row of a new chain. Raises `SinkFailed`."""
        return {}

    async def expired(self, before: float) -> Heads:
        """The last row of each chain that is older than `before` (seconds since the epoch). Raises `SinkFailed`."""
        del before
        return {}

    async def drop(self, cuts: Heads) -> None:
        """Forget the rows up to these, which the log has noted. Raises `SinkFailed`."""

    async def aclose(self) -> None:
        """Nothing comes after this."""

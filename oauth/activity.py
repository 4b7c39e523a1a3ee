"""What happened in whose name: recorded by who does it, read by the person's own page, kept by the edge."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Kind = Literal["tools", "changes", "account"]
KINDS: tuple[Kind, ...] = ("tools", "changes", "account")
"""Calls of tools, changes through the API, and all else: signing in, apps, keys, passwords."""


@dataclass(frozen=True, slots=True)
class Happening:
    """`event` is a word such as `signed_in` or `tool:create_panel`; `outcome` is `ok` or the name of the refusal.

    `client_name` is the name of the app or key as it was shown then: when both are gone, the event still says whose.
    `cursor` is its place among all, from which older ones are read on.
    """

    at: datetime
    event: str
    client_id: str | None
    outcome: str
    client_name: str | None = None
    cursor: str = ""


class ActivityRecorder(Protocol):
    def note(
        self,
        user_id: str | None,
        event: str,
        client_id: str | None = None,
        outcome: str = "ok",
        client_name: str | None = None,
    ) -> None:
        """It happened now, in nobody's name without `user_id`. `client_name` is how a person was shown the client."""


class Activity(ActivityRecorder, Protocol):
    @property
    def is_kept(self) -> bool:
        """Whether `latest` is told of what is noted. Where it is not, nothing may be said of what has happened."""

    async def latest(
        self, user_id: str, most: int = 50, *, kinds: Collection[Kind] = KINDS, before: str | None = None
    ) -> Sequence[Happening]:
        """The latest `most` of these kinds, newest first, what was noted a moment ago included.

        With `before` those that are older than the one with this cursor. Raises `Unacceptable`: it is no cursor.
        """

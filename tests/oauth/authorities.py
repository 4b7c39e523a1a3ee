"""A stand-in for whoever decides about keys, and the clocks of the tests that ask it."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from oauth.models import Verified

START = datetime(2026, 11, 20, 9, tzinfo=UTC)
KEY = "minds_" + "0a" * 24


@dataclass
class Time:
    """Both clocks; `step` moves the wall clock alone, as an administrator does."""

    passed: float = 0
    step: timedelta = timedelta()

    def clock(self) -> float:
        return self.passed

    def wall(self) -> datetime:
        return START + timedelta(seconds=self.passed) + self.step


@dataclass
class Authority:
    """Stands for the store or for the real API. `gate` holds answers back."""

    known: dict[str, Verified] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    fault: Exception | None = None
    gate: asyncio.Event | None = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def check(self, key: str) -> Verified | None:
        self.asked.append(key)
        self.reached.set()
        answer = self.known.get(key)
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return answer


def who(key_id: str = "k", expires_in: float | None = None) -> Verified:
    expires_at = None if expires_in is None else START + timedelta(seconds=expires_in)
    return Verified("ada", frozenset({"docs:read"}), key_id, expires_at=expires_at)


async def until_asked(authority: Authority) -> None:
    async with asyncio.timeout(5):
        await authority.reached.wait()

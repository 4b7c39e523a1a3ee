"""Who waits for news of which question in this process; other processes are heard by looking."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Hub:
    """`asked` wakes the worker; `tell` wakes those who follow a question."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._followers: dict[str, set[asyncio.Event]] = {}

    def tell(self, question_id: str) -> None:
        """Something of the question was stored."""
        for news in self._followers.get(question_id, ()):
            news.set()

    @contextmanager
    def following(self, question_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at all news of the question; who has seen them clears it."""
        news = asyncio.Event()
        followers = self._followers.setdefault(question_id, set())
        followers.add(news)
        try:
            yield news
        finally:
            followers.discard(news)
            if not followers and self._followers.get(question_id) is followers:
                del self._followers[question_id]

    @property
    def followed(self) -> frozenset[str]:
        """The questions that somebody follows."""
        return frozenset(self._followers)

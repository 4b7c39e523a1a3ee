"""Asks every source at once, and makes one list of what they find, whose scores cannot be compared.

That is reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). Sources seldom have the same document, so
ranks alone would only take turns; how well a title agrees with the question decides among them.
"""

import asyncio
from collections.abc import Mapping, Sequence

import structlog
from rapidfuzz import fuzz, utils

from mcp_server.errors import NotFound, NotReady, ServiceUnavailable, ToolFailure
from mcp_server.toolkit.sources import Found, Source
from mcp_server.toolsets.knowledge.models import FetchedDocument, SearchResult, SearchResults

SOURCE_SECONDS = 2.0
"""For which a search waits for one source; the others' hits are worth more than its own later."""
OF_EACH, MOST_RESULTS = 10, 20

K = 60
"""The paper's: what stands tenth weighs six sevenths of what stands first."""
TITLE_WEIGHT = 0.3
"""What a title that agrees in full adds to a score, as a part of it; docs/knowledge.md has the measurement."""

log = structlog.get_logger(__name__)


class KnowledgeService:
    """`sources` by the names of their toolsets; looked at with each call, because they come as these open."""

    def __init__(self, sources: Mapping[str, Source], *, seconds: float = SOURCE_SECONDS) -> None:
        self._sources, self._seconds = sources, seconds

    async def search(self, query: str) -> SearchResults:
        """The best hits of all sources that answer in time.

        Raises `NotReady`: there is no source; `ServiceUnavailable`: none answers; `ToolFailure`: none takes the query.
        """
        names = list(self._sources)
        if not names:
            raise NotReady("there is nothing to search here; the operator enables sources such as docs in TOOLSETS")
        asked = (asyncio.wait_for(self._sources[name].search(query, OF_EACH), self._seconds) for name in names)
        answers = dict(zip(names, await asyncio.gather(*asked, return_exceptions=True), strict=True))
        found = {name: hits for name, hits in answers.items() if not isinstance(hits, BaseException)}
        self._judge({name: error for name, error in answers.items() if isinstance(error, BaseException)})
        best = fused(query, found, MOST_RESULTS)
        hits = (SearchResult(id=f"{name}:{hit.id}", title=hit.title, url=hit.url) for name, hit in best)
        return SearchResults(results=tuple(hits))

    async def fetch(self, id: str) -> FetchedDocument:
        """Raises `NotFound`: no source has that; and what the source itself raises."""
        name, colon, inner = id.partition(":")
        source = self._sources.get(name)
        if source is None or not colon:
            raise NotFound("document", id, listed_by="search")
        try:
            document = await source.fetch(inner)
        except NotFound:
            raise NotFound("document", id, listed_by="search") from None  # what the source suggests are ids of its own
        metadata = {**document.metadata, "source": name}
        return FetchedDocument(id=id, title=document.title, text=document.text, url=document.url, metadata=metadata)

    def _judge(self, failed: Mapping[str, BaseException]) -> None:
        """Log what failed; raise where all did."""
        if not failed:
            return
        kinds = {name: type(error).__name__ for name, error in failed.items()}
        log.warning("sources_failed", failed=len(failed), of=len(self._sources), kinds=kinds)
        if len(failed) == len(self._sources):
            mendable = (error for error in failed.values() if isinstance(error, ToolFailure))
            raise next(mendable, ServiceUnavailable("None of the sources answers; try again"))


def fused(query: str, found: Mapping[str, Sequence[Found]], limit: int) -> list[tuple[str, Found]]:
    """The best `limit` hits of all sources with the names of these; hits of one page are one, and count for each.

    Of these that which its source ranks highest stays.
    """
    scores: dict[str, float] = {}
    first: dict[str, tuple[int, str, Found]] = {}
    for source, hits in found.items():
        once = {hit.url.partition("#")[0]: (rank, source, hit) for rank, hit in reversed(list(enumerate(hits, 1)))}
        for url, placed in once.items():
            boost = 1 + TITLE_WEIGHT * agreement(query, placed[2].title)
            scores[url] = scores.get(url, 0.0) + boost / (K + placed[0])
            first[url] = min(first.get(url, placed), placed, key=lambda one: one[0])
    best = sorted(scores, key=lambda url: (-scores[url], first[url][0]))
    return [first[url][1:] for url in best[:limit]]


def agreement(query: str, title: str) -> float:
    """From 0 to 1: how much of the title, or of a part of it, the query has in whatever order, misspelt words too."""
    return fuzz.partial_token_sort_ratio(query, title, processor=utils.default_process) / 100

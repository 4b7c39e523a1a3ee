"""Makes a manifest of a site, from its llms.txt, else its sitemaps, else by a crawl; and makes it anew."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from mcp_server.toolsets.manifests.crawl import Crawl, Limits, without_query
from mcp_server.toolsets.manifests.lists import MAX_SITEMAP, NothingFound, Site, from_llms_txt, from_sitemaps
from mcp_server.toolsets.manifests.models import Manifest, Source
from mcp_server.upstream.fetching import FetchFailed, Validators

WAYS: Sequence[Source] = get_args(Source)


@dataclass(frozen=True)
class Maker:
    """`web` is the guarded client, `folder` that of the manifests; `on_page` is told how many pages a crawl has."""

    web: Any
    folder: Path
    limits: Limits
    on_page: Callable[[int], None] = lambda _: None

    async def make(self, name: str, url: str, ways: Sequence[Source] = WAYS) -> tuple[Manifest, bool]:
        """The manifest, and whether a crawl came to its end. Raises `NothingFound`: what each way came to is said."""
        site, reasons = Site(self.web, without_query(url, ""), self.limits.delay), []
        for way in ways:
            try:
                async with asyncio.timeout(2 * self.limits.seconds):
                    return await self._by(way, name, site)
            except NothingFound as nothing:
                reasons.append(f"{way}: {nothing}")
            except TimeoutError:
                reasons.append(f"{way}: it took too long")
        raise NothingFound("; ".join(reasons))

    async def remake(self, old: Manifest) -> tuple[Manifest, bool] | None:
        """None where nothing has changed. No worse way than before is taken, and no part for what was whole.

        Raises `NothingFound`.
        """
        if old.validators and await self._is_unchanged(old):
            return None
        new, is_whole = await self.make(old.name, old.url, WAYS[: WAYS.index(old.source) + 1])
        if not is_whole:
            return max(old, new, key=lambda one: len(one.pages)), False
        return None if new == old.model_copy(update={"fetched_at": new.fetched_at}) else (new, True)

    async def _by(self, way: Source, name: str, site: Site) -> tuple[Manifest, bool]:
        is_whole, validators = True, dict[str, Validators]()
        if way == "crawl":
            pages, is_whole = await Crawl(site, self.limits, state_file(self.folder, name), self.on_page).run()
        else:
            pages, validators = await (from_llms_txt if way == "llms.txt" else from_sitemaps)(site)
        now = datetime.now(UTC)
        made = Manifest(name=name, url=site.url, source=way, fetched_at=now, validators=validators, pages=tuple(pages))
        return made, is_whole

    async def _is_unchanged(self, old: Manifest) -> bool:
        """Whether all files that the list was made of are as they were."""
        site = Site(self.web, old.url, self.limits.delay)
        for place, validators in old.validators.items():
            try:
                if (await site.get(place, MAX_SITEMAP, validators=validators)).is_modified:
                    return False
            except FetchFailed:
                return False
        return True


def state_file(folder: Path, name: str) -> Path:
    """Where a crawl that was broken off is kept."""
    return folder / f"{name}.crawl"

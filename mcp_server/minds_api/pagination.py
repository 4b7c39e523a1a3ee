"""A listing of the internal API, page after page (minds-api.md section 3: `limit` at most 100, `offset`)."""

from collections.abc import Mapping
from typing import Any

from mcp_server.minds_api.api import Api
from mcp_server.toolkit.json_coercion import items, mapping, text, unreadable, whole

PAGE = 100
"""The largest page that the internal API serves."""

MAX_PAGES = 50
"""5,000 objects; a listing beyond that costs more than it tells."""


async def everything(api: Api, collection: str, *, search: str | None = None) -> list[Mapping[str, Any]]:
    """Every object of `collection` that has an id, in the order of the listing, each once.

    Raises:
        ServiceUnavailable: an answer is no listing.

    """
    found: dict[str, Mapping[str, Any]] = {}
    for number in range(MAX_PAGES):
        params: dict[str, str | int] = {"limit": PAGE, "offset": number * PAGE}
        if search:
            params["search"] = search
        body = mapping(await api.call("GET", collection, params=params))
        if not isinstance(body.get("data"), list):
            raise unreadable(f"a list of {collection}")
        page, known = [mapping(item) for item in items(body, "data")], len(found)
        found.update((identity, item) for item in page if (identity := text(item, "id")) is not None)
        total = whole(mapping(body.get("pagination")), "total")
        complete = total is not None and (number + 1) * PAGE >= total
        # The last condition ends a listing that ignores `offset` and would go round for ever.
        if complete or len(page) < PAGE or len(found) == known:
            break
    return list(found.values())

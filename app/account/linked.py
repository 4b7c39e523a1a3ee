"""The linked key of a real Minds API as the account page shows it: which it is, and whether it still works."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from oauth.errors import StoreUnavailable
from oauth.flows.api_keys import Links
from oauth.verifier import Verifier

PATIENCE = 1.5
"""Seconds that the page waits for the Minds API. The answer is remembered, so the next page may know it."""


@dataclass(frozen=True, slots=True)
class Linked:
    """`state` is "dead" when the Minds API refuses the key, and "unknown" while it gives no answer."""

    last4: str
    state: Literal["works", "dead", "unknown"]


async def linked_key(links: Links, verifier: Verifier, user_id: str, now: datetime) -> Linked | None:
    """The linked key of this account; None when there is none.

    Raises:
        StoreUnavailable: the store gave no answer; the silence of the Minds API is no fault of the page.

    """
    last4 = await links.last4(user_id)
    if last4 is None:
        return None
    key = await links.key_of(user_id, now)
    if key is None:  # sealed under another secret than that of today
        return Linked(last4, "dead")
    try:
        async with asyncio.timeout(PATIENCE):
            return Linked(last4, "dead" if await verifier.verify(key.get_secret_value()) is None else "works")
    except (StoreUnavailable, TimeoutError):
        return Linked(last4, "unknown")

"""A process that registers, redeems, renews and revokes as fast as it can, tells each deed when done, and is killed."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from multiprocessing.connection import Connection

from sqlalchemy import URL

from app.storage.engine import open_engine
from oauth.grants import Grant
from oauth.primitives.secrets import digest
from oauth.stores.clients import ClientStore
from oauth.stores.grants import GrantStore
from tests.oauth.delegations import client_of, refresh_of

GRACE = timedelta(seconds=30)


def work(url: URL, grants: list[Grant], now: datetime, tell: Connection) -> None:
    """Entered in a fresh process. Each grant has a code, of its id, that nobody has used; half of them are revoked."""
    asyncio.run(_work(url, grants, now, tell))


async def _work(url: URL, grants: list[Grant], now: datetime, tell: Connection) -> None:
    engine = open_engine(url)
    store, clients = GrantStore(engine), ClientStore(engine)
    tell.send(("ready", ""))
    for number, grant in enumerate(grants):
        await clients.register(client_of(now, id=f"client {grant.id}"), grant.id, now)
        tell.send(("registered", grant.id))
        first = refresh_of(grant, now, f"first {grant.id}")
        await store.claim_code(digest(grant.id), first, now)
        tell.send(("redeemed", grant.id))
        await store.rotate(
            first.digest, replace(first, digest=digest(f"second {grant.id}")), "sealed", now - GRACE, now
        )
        tell.send(("renewed", grant.id))
        if number % 2:
            await store.revoke_grant(grant.id, "told to", now)
            tell.send(("revoked", grant.id))

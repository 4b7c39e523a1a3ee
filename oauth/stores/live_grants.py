"""What an access token stands on, in one read: its grant, and the account behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select

from oauth.grants import Grant
from oauth.models import User
from oauth.stores.base import Store
from oauth.stores.tables import grants, users

GRANTS_REVISION = "grants"


@dataclass(frozen=True, slots=True)
class OwnedGrant:
    """A grant with its account, read in one statement so that both are of the same moment.

    `user` is None when the client acts for itself.
    """

    grant: Grant
    user: User | None

    def is_live(self, now: datetime) -> bool:
        """Whether its tokens are accepted: neither the grant nor the account has ended."""
        if not self.grant.is_live(now):
            return False
        if self.grant.user_id is None:
            return True
        return self.user is not None and self.user.disabled_at is None


class LiveGrantStore(Store):
    """All that verification reads of the grants: the only part of them that a resource server uses."""

    async def find_owned_grant(self, grant_id: str) -> OwnedGrant | None:
        """The grant with its account, whether live or not."""
        rows = await self._database.read(_owned().where(grants.c.id == grant_id))
        if not rows:
            return None
        grant = {column.name: rows[0][column.name] for column in grants.c}
        user = {column.name: rows[0][f"owner_{column.name}"] for column in users.c}
        scopes = frozenset(grant["scopes"].split(" ")) - {""}
        return OwnedGrant(Grant(**grant | {"scopes": scopes}), User(**user) if user["id"] is not None else None)

    async def touch_grants(self, uses: Mapping[str, datetime]) -> None:
        """Note when the grants with these ids were used, at most once a minute for each."""
        await self._touch(grants, uses)

    async def grants_revision(self) -> int:
        """A number that changes whenever a grant that was live may have ceased to be."""
        return await self._database.revision(GRANTS_REVISION)


def _owned() -> Select[Any]:
    owner = [column.label(f"owner_{column.name}") for column in users.c]
    return select(grants, *owner).select_from(grants.outerjoin(users, users.c.id == grants.c.user_id))

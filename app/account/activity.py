"""The tab of what happened in the account's name."""

from typing import Any

from app.account.shown import activity_values
from app.account.tabs import PATH, Action, Tab, Visit


class ActivityTab(Tab):
    path, template = f"{PATH}/activity", "account_activity.html"

    @property
    def forms(self) -> dict[str, Action]:
        return {}

    async def values(self, visit: Visit) -> dict[str, Any]:
        """The latest; under the names that keys and apps have today, or had then."""
        owned = await self.stores.accounts.list_keys(visit.user.id)
        events = await self.activity.latest(visit.user.id)
        return activity_values(owned, events) | {"is_kept": self.activity.is_kept}

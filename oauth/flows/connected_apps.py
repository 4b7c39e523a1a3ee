"""The apps that a person has connected, and disconnecting them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from oauth.errors import Unknown
from oauth.grants import Device, Grant
from oauth.primitives.display_names import shown_host, shown_name
from oauth.stores.consents import ConsentStore
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore

DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """One client with all that it holds of one account: live grants, and devices that have yet to fetch theirs.

    Attributes:
        redirect_host: where its codes went, which is harder to make up than a name.

    """

    client_id: str
    name: str
    redirect_host: str | None
    scopes: frozenset[str]
    since: datetime
    last_used_at: datetime | None


class ConnectedApps:
    """`forget` makes this process ask again about a grant; others notice by the store's revision."""

    def __init__(
        self, grants: GrantStore, devices: DeviceStore, consents: ConsentStore, forget: Callable[[str], None]
    ) -> None:
        self._grants, self._devices, self._consents, self._forget = grants, devices, consents, forget

    async def list_apps(self, user_id: str, now: datetime) -> list[ConnectedApp]:
        """The connected clients, the one that was used last first.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        by_client: dict[str, list[Grant | Device]] = {}
        # Devices first: one that fetches its tokens in between is in both lists, and else would be in none.
        everything: list[Grant | Device] = [*await self._devices.list_let_in(user_id, now)]
        everything += await self._grants.list_grants(user_id, now)
        for held in everything:
            by_client.setdefault(held.client_id, []).append(held)
        apps = [_app(of_client) for of_client in by_client.values()]
        return sorted(apps, key=lambda app: app.last_used_at or app.since, reverse=True)

    async def disconnect(self, user_id: str, client_id: str, now: datetime) -> ConnectedApp:
        """End all that this client holds of the account, in every process, and ask the person again next time.

        What was allowed and not fetched yet, a code or a device's tokens, is never handed out.

        Raises:
            Unknown: the account has not connected this client, or no longer.
            StoreUnavailable: the store gave no answer.

        """
        app = next((app for app in await self.list_apps(user_id, now) if app.client_id == client_id), None)
        if app is None:
            raise Unknown("That app is not connected, or no longer.")
        # First, so that no remembered consent makes a new grant beside those that end.
        await self._consents.forget_consents(user_id, client_id)
        for grant_id in await self._grants.end_client(user_id, client_id, DISCONNECTED, now):
            self._forget(grant_id)
        return app


def _app(held: list[Grant | Device]) -> ConnectedApp:
    newest, grants = max(held, key=lambda each: each.created_at), [each for each in held if isinstance(each, Grant)]
    host = newest.redirect_host if isinstance(newest, Grant) else None
    used = [grant.last_used_at for grant in grants if grant.last_used_at is not None]
    return ConnectedApp(
        client_id=newest.client_id,
        name=shown_name(newest.client_name),
        redirect_host=None if host is None else shown_host(host),
        scopes=frozenset().union(*(each.scopes for each in held)),
        since=min(each.created_at for each in held),
        last_used_at=max(used, default=None),
    )

"""The apps that a person has connected, and disconnecting them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from oauth.display_names import shown_host, shown_name
from oauth.errors import Unknown
from oauth.grant_store import ConsentStore, GrantStore
from oauth.grants import Grant

DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """One client with all its live grants of one account.

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

    def __init__(self, grants: GrantStore, consents: ConsentStore, forget: Callable[[str], None]) -> None:
        self._grants, self._consents, self._forget = grants, consents, forget

    async def list_apps(self, user_id: str, now: datetime) -> list[ConnectedApp]:
        """The connected clients, the one that was used last first.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        by_client: dict[str, list[Grant]] = {}
        for grant in await self._grants.list_grants(user_id, now):
            by_client.setdefault(grant.client_id, []).append(grant)
        apps = [_app(grants) for grants in by_client.values()]
        return sorted(apps, key=lambda app: app.last_used_at or app.since, reverse=True)

    async def disconnect(self, user_id: str, client_id: str, now: datetime) -> ConnectedApp:
        """End all that this client holds of the account, in every process, and ask the person again next time.

        Raises:
            Unknown: the account has not connected this client, or no longer.
            StoreUnavailable: the store gave no answer.

        """
        grants = [grant for grant in await self._grants.list_grants(user_id, now) if grant.client_id == client_id]
        if not grants:
            raise Unknown("That app is not connected, or no longer.")
        for grant in grants:
            await self._grants.revoke_grant(grant.id, DISCONNECTED, now)
            self._forget(grant.id)
        await self._consents.forget_consents(user_id, client_id)
        return _app(grants)


def _app(grants: list[Grant]) -> ConnectedApp:
    newest = grants[0]
    used = [grant.last_used_at for grant in grants if grant.last_used_at is not None]
    return ConnectedApp(
        client_id=newest.client_id,
        name=shown_name(newest.client_name),
        redirect_host=None if newest.redirect_host is None else shown_host(newest.redirect_host),
        scopes=frozenset().union(*(grant.scopes for grant in grants)),
        since=min(grant.created_at for grant in grants),
        last_used_at=max(used, default=None),
    )

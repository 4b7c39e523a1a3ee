"""The tab on which the account itself is changed and deleted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from app.account.tabs import PATH, Action, Tab, Visit
from oauth.endpoints.http import client_address
from oauth.errors import Conflict, StoreUnavailable, Unacceptable
from oauth.factory import OAuth
from oauth.flows import accounts
from oauth.flows.emails import EmailChanges
from oauth.models import User

DeleteOwned = Callable[[str], Awaitable[None]]
"""Deletes what the account of this id has at the embedded API."""

RECENT = timedelta(minutes=10)
"""How long ago somebody without a password here may have signed in to delete the account."""
TRIES = 3
PATIENCE = 4.0
"""Seconds that the page waits until everything is deleted; it goes on without the page."""
SENT = (
    "Look into the mail of the new address: a link is on its way to it, if no account has it. It works for 30 minutes."
)
GONE = (
    "Your keys, connected apps and sessions are gone{data}. The audit log keeps its rows of what was done; they name"
    " the account by a number, and apps and keys by their names."
)
CLOSED = (
    "Nobody can sign in with it any more, and no key or app works. What it has is not deleted yet; if that cannot be"
    " done now, whoever runs this server is told."
)

log = logging.getLogger(__name__)


class SettingsTab(Tab):
    path, template = f"{PATH}/settings", "account_settings.html"

    def __init__(
        self, oauth: OAuth, now: Callable[[], datetime], real_api: str | None, delete_owned: DeleteOwned | None
    ) -> None:
        super().__init__(oauth, now)
        self._real_api, self._delete_owned = real_api, delete_owned
        users, links = self.stores.accounts, oauth.password_links
        self._emails = EmailChanges(users, oauth.sealer, oauth.settings.site_url, links.mail)
        self._deleting: set[asyncio.Task[bool]] = set()

    @property
    def forms(self) -> dict[str, Action]:
        return {
            "/settings/email": self._change_email,
            "/settings/email/confirm": self._confirm_email,
            "/settings/delete": self._delete,
        }

    async def values(self, visit: Visit) -> dict[str, Any]:
        token = None if visit.is_form else visit.sent.get("token")
        return {
            "real_api": self._real_api,
            "mails": self.oauth.password_links.mail is not None,
            "token_of_link": token,
            "confirming": self._emails.address(visit.user, token, self.now()) if token else None,
        }

    async def _change_email(self, visit: Visit) -> Response:
        if visit.user.password_hash is None:
            raise Unacceptable("You sign in with an account of somebody else: change its address there.")
        user = await self._prove(visit)
        is_changed = await self._emails.ask(user, visit.sent.get("email") or "", self.now())
        self.activity.note(user.id, "email_changed" if is_changed else "email_link_made")
        return self.back() if is_changed else await self.page(visit, notice=SENT)

    async def _confirm_email(self, visit: Visit) -> Response:
        await self._emails.confirm(visit.user, visit.sent.get("token") or "", self.now())
        self.activity.note(visit.user.id, "email_changed")
        return self.back()

    async def _delete(self, visit: Visit) -> Response:
        user, shown = visit.user, visit.shown
        if (visit.sent.get("email") or "").strip().casefold() != shown.casefold():
            raise Unacceptable(f"Type {shown} to say that it is this account that you want to delete.")
        await self._prove(visit)
        # From here on nothing begins in its name, whatever becomes of the rest.
        await accounts.disable_user(self.stores.accounts, user.email, self.now())
        self.activity.note(user.id, "account_deleted")
        self._deleting.add(task := asyncio.create_task(self._forget(user)))
        task.add_done_callback(self._deleting.discard)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        data = "" if self._real_api else ", and so are your personas, groups and panels"
        text = GONE.format(data=data) if done and task.result() else CLOSED
        if self._real_api:
            text += f" What you have at the Minds API at {self._real_api} stays there: delete it there."
        page = self.oauth.pages.problem("Your account is deleted", text, 200)
        await self.oauth.signed_in.leave(visit.request, page)
        return page

    async def _prove(self, visit: Visit) -> User:
        """The account as it is now. Raises `Unacceptable`: who sits here has not shown lately that it is theirs."""
        if visit.user.password_hash is not None:
            password, address = visit.sent.get("password") or "", client_address(visit.request)
            return await self.oauth.password.confirm(visit.user, password, address, self.now())
        if self.now() - visit.session.signed_in_at > RECENT:
            raise Unacceptable("You signed in some time ago. Sign out, sign in again, and do it within ten minutes.")
        return visit.user

    async def _forget(self, user: User) -> bool:
        """Whether all of the disabled account is deleted."""
        reason = "still in use"
        for _ in range(TRIES):
            try:
                if self._delete_owned is not None:
                    await self._delete_owned(user.id)
                await accounts.delete_user(self.stores.accounts, user.email, self.now())
            except Conflict:  # a request that was under way has added something: that goes in the next try
                continue
            except (StoreUnavailable, SQLAlchemyError) as fault:
                reason = type(fault).__name__
                break
            return True
        log.error("account %s is disabled and not deleted yet: %s", user.id, reason)
        return False

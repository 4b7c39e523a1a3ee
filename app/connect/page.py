"""The page `/connect`: the steps for each client, and on request what each would meet here."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.account.shown import moment
from app.connect.recipes import recipes
from app.doctor.checks_authorization import AUTHORIZE
from app.doctor.examination import ClientReport, DoctorOptions, Report, examine
from app.doctor.findings import Status
from app.doctor.profiles import PROFILES
from oauth.endpoints.pages import shows_pages
from oauth.factory import OAuth
from oauth.primitives.clock import utc_now

PATH = "/connect"
SECONDS = 5.0  # for each answer that the check waits for; a client waits about as long
TOOL = "tool:"
NOT_TRIED = "All steps up to the sign-in work. Signing in was not tried, because that would register an app."

Examine = Callable[[str], Awaitable[Report]]


async def examine_quietly(url: str) -> Report:
    """Everything that can be seen without registering or signing in."""
    options = DoctorOptions(url, PROFILES, SECONDS, registers=False)
    return await examine(options, lambda _address: None)


class ConnectPage:
    """GET /connect, and GET /connect?check=1 for who is signed in: it makes some dozens of requests of ours.

    `real_api` is the address of a real internal API, which makes the keys; with the embedded one we do.
    """

    def __init__(
        self,
        oauth: OAuth,
        *,
        real_api: str | None,
        examine: Examine = examine_quietly,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._pages, self._signed_in, self._activity = oauth.pages, oauth.signed_in, oauth.activity
        self._resource, self._real_api = oauth.settings.resource, real_api
        self._examine, self._now = examine, now
        self._turn = asyncio.Lock()
        self.routes = [Route(PATH, shows_pages(self._pages, self._show), methods=["GET"])]

    async def _show(self, request: Request) -> Response:
        found = await self._signed_in.of(request, self._now())
        wants_check = "check" in request.query_params
        if wants_check and found is None:
            return self._signed_in.to_login(f"{PATH}?check=1", self._now())
        checked = await self._checked() if wants_check else None
        latest = None if found is None else await self._latest(found[1].id)
        return self._pages.render(
            "connect.html",
            path=PATH,
            account="/account",
            resource=self._resource,
            recipes=recipes(self._resource, self._real_api),
            real_api=self._real_api,
            checked=checked,
            latest=latest,
            is_kept=self._activity.is_kept,
        )

    async def _checked(self) -> list[dict[str, Any]]:
        async with self._turn:  # one at a time, however many ask
            report = await self._examine(self._resource)
        return [_checked(client) for client in report.clients]

    async def _latest(self, user_id: str) -> dict[str, Any] | None:
        """The last call of a tool that arrived with this account: the best proof that a client is connected."""
        if not self._activity.is_kept:
            return None
        for event in await self._activity.latest(user_id, 1, kinds=["tools"]):
            return {"tool": event.event.removeprefix(TOOL), "at": moment(event.at), "outcome": event.outcome}
        return None


def _checked(client: ClientReport) -> dict[str, Any]:
    """What the page shows of one client. That the check registers nothing is no fault of what could be seen."""
    undecided = [finding for finding in client.findings if finding.status is Status.UNDECIDED]
    untried = [finding for finding in undecided if finding.step == AUTHORIZE]
    shown = [finding for finding in client.findings if finding.status is Status.FAILED] or undecided
    return {
        "client": client.title,
        "connects": client.connects if undecided != untried or client.connects is False else True,
        "remark": NOT_TRIED if untried and client.connects is not False else "",
        "troubles": [[_parts(finding.why), _parts(finding.change)] for finding in shown if finding not in untried],
    }


def _parts(text: str) -> list[str]:
    """A sentence by its backticks: what stands between two of them, which is every second part, is code."""
    text = text if text.endswith((".", "?")) else f"{text}."
    return (text[:1].upper() + text[1:]).split("`")

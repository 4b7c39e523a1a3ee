"""The page `/connect`: the steps for each client, and on request what each would meet here."""

import asyncio
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.connect.recipes import Recipe, out_of_reach, recipes
from app.console.calls import CLIENT_ID, SHARED_LINK
from app.doctor.checks_authorization import AUTHORIZE
from app.doctor.examination import ClientReport, DoctorOptions, Report, examine
from app.doctor.findings import Finding, Status
from app.doctor.profiles import PROFILES, Profile
from oauth.endpoints.pages import shows_pages
from oauth.factory import OAuth
from oauth.primitives.clock import utc_now

PATH = "/connect"
SECONDS = 5.0  # for each answer that the check waits for; a client waits about as long
TOOL = "tool:"
EVERY = "all"
MARKS = {Status.OK: "✓", Status.ADVICE: "!", Status.UNDECIDED: "?", Status.FAILED: "✗"}
BADGES = {True: ("good", "ready"), False: ("bad", "cannot connect"), None: ("warn", "not decided")}
STEPS = tomllib.loads(Path(__file__).with_name("steps.toml").read_text("utf-8"))

Examine = Callable[[str, tuple[Profile, ...]], Awaitable[Report]]


async def examine_quietly(url: str, profiles: tuple[Profile, ...]) -> Report:
    """Everything that can be seen without registering or signing in."""
    options = DoctorOptions(url, profiles, SECONDS, registers=False)
    return await examine(options, lambda _address: None)


class ConnectPage:
    """GET /connect, and for who is signed in GET /connect?check=CLIENT: it makes some dozens of requests of ours.

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
        self._recipes = recipes(self._resource, real_api)
        self._turn = asyncio.Lock()
        self.routes = [Route(PATH, shows_pages(self._pages, self._show), methods=["GET"])]

    async def _show(self, request: Request) -> Response:
        found = await self._signed_in.of(request, self._now())
        asked = request.query_params.get("check")
        chosen = [recipe for recipe in self._recipes if asked in {recipe.id, EVERY}]
        if chosen and found is None:
            return self._signed_in.to_login(f"{PATH}?check={asked}", self._now())
        return self._pages.render(
            "connect.html",
            is_scripted=True,
            path=PATH,
            account="/account",
            resource=self._resource,
            recipes=self._recipes,
            out_of_reach=out_of_reach(self._resource),
            real_api=self._real_api,
            opened=chosen[0].id if len(chosen) == 1 else self._recipes[0].id,
            checked=await self._checked(chosen),
            viewer=None if found is None else found.shown,
            latest=None if found is None else await self._latest(found.user.id),
            is_kept=self._activity.is_kept,
        )

    async def _checked(self, chosen: Sequence[Recipe]) -> dict[str, dict[str, Any]]:
        """By recipe, what its client met."""
        if not chosen:
            return {}
        names = {recipe.profile for recipe in chosen}
        async with self._turn:  # one at a time, however many ask
            report = await self._examine(self._resource, tuple(each for each in PROFILES if each.name in names))
        clients = {client.name: _checked(client) for client in report.clients}
        return {recipe.id: clients[recipe.profile] for recipe in chosen}

    async def _latest(self, user_id: str) -> dict[str, Any] | None:
        """The last call of a tool that arrived with this account: the best proof that a client is connected."""
        if not self._activity.is_kept:
            return None
        for event in await self._activity.latest(user_id, kinds=["tools"]):
            if event.client_id not in {CLIENT_ID, SHARED_LINK}:  # these pages are no client
                return {"tool": event.event.removeprefix(TOOL), "at": event.at, "outcome": event.outcome}
        return None


def _checked(client: ClientReport) -> dict[str, Any]:
    """What the page shows of one client. That the check registers nothing is no fault of what could be seen, and steps
    that the client does not take are left out.
    """
    untried = [each for each in client.findings if each.status is Status.UNDECIDED and each.step == AUTHORIZE]
    shown = [each for each in client.findings if each.status is not Status.SKIPPED and each not in untried]
    connects = replace(client, findings=tuple(shown)).connects
    colour, verdict = BADGES[connects]
    return {
        "colour": colour,
        "verdict": verdict,
        "is_untried": bool(untried) and connects is not False,
        "steps": [_step(finding) for finding in shown],
    }


def _step(finding: Finding) -> dict[str, Any]:
    return {
        "mark": MARKS[finding.status],
        "status": finding.status.value,
        "name": STEPS.get(finding.step, finding.step),
        "why": _parts(finding.why),
        "change": _parts(finding.change) if finding.change else [],
    }


def _parts(text: str) -> list[str]:
    """A sentence by its backticks: what stands between two of them, which is every second part, is code."""
    text = text if text.endswith((".", "?")) else f"{text}."
    return (text[:1].upper() + text[1:]).split("`")

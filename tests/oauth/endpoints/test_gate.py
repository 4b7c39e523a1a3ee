"""The gate before the endpoints of machines."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from oauth.endpoints import http
from oauth.endpoints.gate import ENDPOINTS, gated
from oauth.errors import ProtocolError, StoreUnavailable, TemporarilyUnavailable, TooManyRequests
from oauth.primitives.parameters import Parameters


@dataclass
class Counting:
    """Refuses with `refusal` while there is one, but for holders that are welcome."""

    refusal: ProtocolError | None = None
    welcome: frozenset[str] = frozenset()
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def admit(self, endpoint: str, place: str, holder: str | None = None) -> Mapping[str, str]:
        self.asked.append((endpoint, holder or place))
        if self.refusal is not None and holder not in self.welcome:
            raise self.refusal
        return {"x-ratelimit-remaining": "4"}


@dataclass
class Lookups:
    """Finds holders; a `slow` code once `answers` is set. `last` is when it did."""

    answers: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    most: int = 0
    last: float = 0

    async def find(self, parameters: Parameters) -> str | None:
        code = parameters.get("code") or ""
        if code == "lost":
            raise StoreUnavailable
        if code == "slow":
            await self._wait()
        self.last = asyncio.get_running_loop().time()
        return {"once": "account:1", "often": "account:2"}.get(code)

    async def _wait(self) -> None:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await self.answers.wait()
        finally:
            self.under_way -= 1


@dataclass
class Place:
    gate: Counting
    client: httpx2.AsyncClient
    served: list[str]
    lookups: Lookups = field(default_factory=Lookups)
    ends: list[float] = field(default_factory=list)
    """When each request that was served has to be answered at the latest, by the loop's clock."""


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    gate, served, lookups, ends = Counting(), list[str](), Lookups(), list[float]()

    async def serve(request: Request) -> Response:
        ends.append(asyncio.get_running_loop().time() + http.seconds_left(request))
        served.append((await request.body()).decode())
        return PlainTextResponse("served")

    routes = [*(Route(path, serve, methods=["POST"]) for path in ENDPOINTS), Route("/oauth/authorize", serve)]
    app = Starlette(routes=gated(routes, gate, lookups.find))
    transport = httpx2.ASGITransport(app, client=("2001:db8::7", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        yield Place(gate, client, served, lookups, ends)


async def test_each_endpoint_of_machines_asks_with_its_word_and_the_place(place: Place) -> None:
    statuses = {(await place.client.post(path)).status_code for path in ENDPOINTS}
    page = await place.client.get("/oauth/authorize")

    assert statuses == {200}
    assert (await place.client.post("/oauth/token")).headers["x-ratelimit-remaining"] == "4"
    assert "x-ratelimit-remaining" not in page.headers
    assert page.status_code == 200
    assert place.gate.asked == [(word, "2001:db8::/64") for word in [*ENDPOINTS.values(), "token"]]
    assert (await place.client.get("/oauth/token")).status_code == 405


@pytest.mark.security("RL-01", "RL-15")
async def test_who_asks_too_often_is_told_how_long_to_wait_and_nothing_was_used_up(place: Place) -> None:
    place.gate.refusal = TooManyRequests("Too many.", 17, {"x-ratelimit-remaining": "0"})
    refused = await place.client.post("/oauth/token", content="code=once")
    place.gate.refusal = None
    later = await place.client.post("/oauth/token", content="code=once")

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "17")
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert refused.json()["error"] == "temporarily_unavailable"
    assert (later.status_code, place.served) == (200, ["code=once"])


@pytest.mark.security("RL-06")
async def test_who_was_let_in_here_is_not_held_up_by_strangers_of_the_same_address(place: Place) -> None:
    place.gate.refusal, place.gate.welcome = TooManyRequests("Too many.", 17), frozenset({"account:1"})

    statuses = {
        code: (await place.client.post("/oauth/token", data={"code": code})).status_code
        for code in ("once", "often", "guess", "lost")
    }
    elsewhere = await place.client.post("/oauth/register", data={"code": "once"})
    unreadable = await place.client.post("/oauth/revoke", content=b"code=once")

    assert statuses == {"once": 200, "often": 429, "guess": 429, "lost": 503}
    assert (elsewhere.status_code, unreadable.status_code) == (429, 429)
    assert place.served == ["code=once"]
    assert ("token", "account:2") in place.gate.asked


@pytest.mark.security("RL-06")
async def test_of_a_hundred_guesses_at_once_of_one_address_the_store_is_asked_about_eight(place: Place) -> None:
    place.gate.refusal = TooManyRequests("Too many.", 17)
    guesses = [
        asyncio.create_task(place.client.post(f"/oauth/{word}", data={"code": "slow"}))
        for word in ["token", "revoke"] * 50
    ]
    refused = 0
    for answer in asyncio.as_completed(guesses):
        refused += (await answer).status_code == 429
        if refused == 92:  # but for eight that are looked up
            break
    under_way = place.lookups.under_way
    place.lookups.answers.set()
    answers = await asyncio.gather(*guesses)

    assert (under_way, place.lookups.most) == (8, 8)
    assert {(answer.status_code, answer.headers["retry-after"]) for answer in answers} == {(429, "17")}
    assert place.served == []


@pytest.mark.security("RL-06", "FI-02")
async def test_a_store_that_hangs_is_a_503_before_a_client_gives_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.gate.refusal, place.gate.welcome = TooManyRequests("Too many.", 17), frozenset({"account:1"})
    with monkeypatch.context() as patched:
        patched.setattr(http, "PATIENCE", 0.05)
        answers = await asyncio.gather(*(place.client.post("/oauth/token", data={"code": "slow"}) for _ in range(20)))
    later = await place.client.post("/oauth/token", data={"code": "once"})

    assert {answer.status_code for answer in answers} <= {429, 503}
    assert sum(answer.status_code == 503 for answer in answers) == 8
    assert {answer.json()["error"] for answer in answers} == {"temporarily_unavailable"}
    assert (later.status_code, place.served) == (200, ["code=once"])


@pytest.mark.security("FI-02")
async def test_what_cannot_be_counted_is_not_served_and_may_be_tried_again(place: Place) -> None:
    place.gate.refusal = TemporarilyUnavailable("Not now.")

    refused = await place.client.post("/oauth/register")

    assert (refused.status_code, refused.json()["error"]) == (503, "temporarily_unavailable")
    assert int(refused.headers["retry-after"]) > 0
    assert place.served == []

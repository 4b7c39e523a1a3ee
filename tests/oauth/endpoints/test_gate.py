"""The gate before the endpoints of machines."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from oauth.endpoints.gate import ENDPOINTS, OpenGate, gated
from oauth.errors import ProtocolError, StoreUnavailable, TemporarilyUnavailable, TooManyRequests
from oauth.parameters import Parameters


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


async def find_holder(parameters: Parameters) -> str | None:
    if parameters.get("code") == "lost":
        raise StoreUnavailable
    return {"once": "account:1", "often": "account:2"}.get(parameters.get("code") or "")


@dataclass
class Place:
    gate: Counting
    client: httpx2.AsyncClient
    served: list[str]


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    gate, served = Counting(), list[str]()

    async def serve(request: Request) -> Response:
        served.append((await request.body()).decode())
        return PlainTextResponse("served")

    routes = [*(Route(path, serve, methods=["POST"]) for path in ENDPOINTS), Route("/oauth/authorize", serve)]
    app = Starlette(routes=gated(routes, gate, find_holder))
    transport = httpx2.ASGITransport(app, client=("2001:db8::7", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        yield Place(gate, client, served)


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


async def test_nothing_is_looked_up_while_the_address_has_room(place: Place) -> None:
    answer = await place.client.post("/oauth/token", data={"code": "lost"})

    assert (answer.status_code, place.served) == (200, ["code=lost"])
    assert place.gate.asked == [("token", "2001:db8::/64")]


@pytest.mark.security("FI-02")
async def test_what_cannot_be_counted_is_not_served_and_may_be_tried_again(place: Place) -> None:
    place.gate.refusal = TemporarilyUnavailable("Not now.")

    refused = await place.client.post("/oauth/register")

    assert (refused.status_code, refused.json()["error"]) == (503, "temporarily_unavailable")
    assert int(refused.headers["retry-after"]) > 0
    assert place.served == []


async def test_an_open_gate_lets_everybody_in() -> None:
    assert await OpenGate().admit("token", "192.0.2.1") == {}

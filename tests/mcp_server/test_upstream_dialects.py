"""The tools speak today's words, and the internal API is spoken to in its own."""

import asyncio

import httpx2
import orjson
import pytest

from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.refusals import Conflict, Missing
from tests.mcp_server.outside import Observed, way_out
from tests.support import FakeApi, Reply

CURRENT, SPARKS = Dialect
DOCUMENT = "GET /openapi.json"


def document(*collections: str) -> Reply:
    return Reply({"openapi": "3.1.0", "paths": {f"/api/v1/{name}": {} for name in collections}})


TODAY, BEFORE = document("minds", "audiences", "studies"), document("sparks", "groups", "panels")


async def test_a_call_is_translated_there_and_back(api: FakeApi) -> None:
    api.answers["POST /panels/minds/ask"] = Reply({"data": {"groups": [{"group": "A", "sparks": []}]}})

    async with way_out(api, dialect=SPARKS) as out:
        body = await out.call("POST", "studies", "minds", "ask", json={"question": "minds?", "audienceIds": ["a"]})

    assert orjson.loads(api.asked[0].content) == {"question": "minds?", "groupIds": ["a"]}
    assert body == {"data": {"audiences": [{"audience": "A", "minds": []}]}}


async def test_the_names_of_parameters_are_translated_too(api: FakeApi) -> None:
    api.answers["GET /panels/1/analytics"] = Reply({})

    async with way_out(api, dialect=SPARKS) as out:
        await out.call("GET", "studies", "1", "analytics", params={"audienceId": "audienceId", "limit": 5})

    assert dict(api.asked[0].url.params) == {"groupId": "audienceId", "limit": "5"}


async def test_what_a_refusal_tells_is_translated_too(api: FakeApi) -> None:
    data = {"code": "PANEL_MINDS_NOT_READY", "notReady": [{"sparkId": "1", "sparkName": "Mia", "groupId": "2"}]}
    api.answers["POST /panels/1/ask"] = Reply({"statusCode": 409, "data": data}, 409)

    async with way_out(api, dialect=SPARKS) as out:
        with pytest.raises(Conflict) as conflict:
            await out.call("POST", "studies", "1", "ask", json={})

    assert conflict.value.data["notReady"] == [{"mindId": "1", "mindName": "Mia", "audienceId": "2"}]


@pytest.mark.parametrize(("told", "route"), [(TODAY, "GET /studies/1"), (BEFORE, "GET /panels/1")])
async def test_an_upstream_is_asked_once_for_its_dialect_before_the_first_call_that_needs_it(
    api: FakeApi, told: Reply, route: str
) -> None:
    api.answers |= {DOCUMENT: told, route: Reply({"data": {}}), "GET /auth/me": Reply({"id": "ada"})}

    async with way_out(api, dialect=None) as out:
        await out.call("GET", "auth", "me")
        assert api.sent(DOCUMENT) == []
        await asyncio.gather(*(out.call("GET", "studies", "1") for _ in range(5)))
        await out.call("GET", "studies", "1")

    assert len(api.sent(DOCUMENT)) == 1
    assert "authorization" not in api.sent(DOCUMENT)[0].headers
    assert len(api.sent(route)) == 6


@pytest.mark.parametrize(
    ("told", "outcome"),
    [(Reply({}, 500), "5xx"), (Reply(b"no"), "service_unavailable"), (httpx2.ConnectError("x"), "service_unavailable")],
)
async def test_a_question_without_an_answer_fails_no_call_and_opens_no_breaker_by_itself(
    api: FakeApi, told: Reply | Exception, outcome: str
) -> None:
    api.answers |= {DOCUMENT: told, "GET /minds": Reply({"data": []})}
    observed: Observed = []

    async with way_out(api, dialect=None, observed=observed, breaker_failures=2) as out:
        assert await out.call("GET", "minds") == {"data": []}
        assert await out.call("GET", "minds") == {"data": []}
        assert {breaker.state for breaker in out.breakers.values()} == {"closed"}

    assert len(api.sent(DOCUMENT)) == 1
    assert observed == [("default", outcome), *[("default", "2xx")] * 2]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_collection_that_is_gone_is_looked_for_under_its_other_name(api: FakeApi, method: str) -> None:
    api.answers |= {
        DOCUMENT: BEFORE,
        f"{method} /panels": Reply({}, 404),
        f"{method} /studies": Reply({"data": {"id": "1"}}),
    }
    body = {"name": "p", "audienceIds": ["a"]} if method == "POST" else None

    async with way_out(api, dialect=None) as out:
        assert await out.call(method, "studies", json=body) == {"data": {"id": "1"}}
        assert await out.call(method, "studies", json=body) == {"data": {"id": "1"}}

    assert (len(api.sent(DOCUMENT)), len(api.sent(f"{method} /panels"))) == (1, 1)
    if method == "POST":
        assert api.sent_json("POST /panels") == [{"name": "p", "groupIds": ["a"]}]
        assert api.sent_json("POST /studies") == [body, body]


async def test_a_404_that_the_dialect_does_not_explain_is_a_404_and_teaches_nothing(api: FakeApi) -> None:
    api.answers |= {DOCUMENT: TODAY, "POST /studies": Reply({}, 404), "POST /panels": Reply({}, 404)}

    async with way_out(api, dialect=None) as out:
        for _ in range(2):
            with pytest.raises(Missing):
                await out.call("POST", "studies", json={"audienceIds": ["unknown"]})

    assert (len(api.sent(DOCUMENT)), len(api.sent("POST /studies")), len(api.sent("POST /panels"))) == (1, 2, 2)


@pytest.mark.parametrize(
    ("dialect", "segments", "questions"), [(None, ("minds", "1"), 1), (CURRENT, ("minds",), 0), (None, ("auth",), 0)]
)
async def test_a_404_elsewhere_or_where_the_dialect_is_known_asks_nothing(
    api: FakeApi, dialect: Dialect | None, segments: tuple[str, ...], questions: int
) -> None:
    api.answers |= {DOCUMENT: TODAY, f"GET /{'/'.join(segments)}": Reply({}, 404)}

    async with way_out(api, dialect=dialect) as out:
        with pytest.raises(Missing):
            await out.call("GET", *segments)

    assert len(api.sent(DOCUMENT)) == questions


@pytest.mark.parametrize("segments", [("minds",), ("minds", "1")])
async def test_an_older_upstream_that_does_not_describe_itself_is_found_by_what_it_has(
    api: FakeApi, segments: tuple[str, ...]
) -> None:
    rest = "/".join(("", *segments[1:]))
    api.answers |= {
        DOCUMENT: Reply({}, 401),
        f"GET /minds{rest}": Reply({}, 404),
        f"GET /sparks{rest}": Reply({"sparkCount": 1}),
    }

    async with way_out(api, dialect=None) as out:
        assert [await out.call("GET", *segments) for _ in range(3)] == [{"mindCount": 1}] * 3

    assert len(api.sent(f"GET /minds{rest}")) == 1


async def test_what_is_missing_in_both_dialects_teaches_nothing(api: FakeApi) -> None:
    api.answers |= {DOCUMENT: Reply({}, 401), "GET /minds/1": Reply({}, 404), "GET /sparks/1": Reply({}, 404)}
    api.answers["GET /minds"] = Reply({"data": []})

    async with way_out(api, dialect=None) as out:
        for _ in range(2):
            with pytest.raises(Missing):
                await out.call("GET", "minds", "1")
        assert await out.call("GET", "minds") == {"data": []}

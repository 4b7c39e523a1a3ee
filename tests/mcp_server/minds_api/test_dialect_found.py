"""An internal API of the older words is found out by what it has, and what is missing in both is missing."""

import orjson
import pytest

from mcp_server.errors import ServiceUnavailable
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.refusals import Conflict, Missing
from tests.mcp_server.outside import way_out
from tests.support import FakeApi, Reply

CURRENT, SPARKS = Dialect
GONE = Reply({}, 404)


async def test_a_call_is_translated_there_and_back(api: FakeApi) -> None:
    data = {"code": "PANEL_MINDS_NOT_READY", "notReady": [{"sparkId": "1", "sparkName": "Mia", "groupId": "2"}]}
    api.answers |= {
        "POST /panels/minds/ask": Reply({"data": {"groups": [{"group": "A", "sparks": []}]}}),
        "GET /panels/1/analytics": Reply({}),
        "POST /panels/1/ask": Reply({"statusCode": 409, "data": data}, 409),
    }

    async with way_out(api, dialect=SPARKS) as out:
        body = await out.call("POST", "studies", "minds", "ask", json={"question": "minds?", "audienceIds": ["a"]})
        await out.call("GET", "studies", "1", "analytics", params={"audienceId": "audienceId", "limit": 5})
        with pytest.raises(Conflict) as conflict:
            await out.call("POST", "studies", "1", "ask", json={})

    assert orjson.loads(api.asked[0].content) == {"question": "minds?", "groupIds": ["a"]}
    assert body == {"data": {"audiences": [{"audience": "A", "minds": []}]}}
    assert dict(api.asked[1].url.params) == {"groupId": "audienceId", "limit": "5"}
    assert conflict.value.data["notReady"] == [{"mindId": "1", "mindName": "Mia", "audienceId": "2"}]


@pytest.mark.parametrize("segments", [("minds",), ("minds", "1")])
async def test_an_older_upstream_is_found_by_what_it_has_and_asked_in_its_words_from_then_on(
    api: FakeApi, segments: tuple[str, ...]
) -> None:
    rest = "/".join(("", *segments[1:]))
    api.answers |= {f"GET /minds{rest}": GONE, f"GET /sparks{rest}": Reply({"sparkCount": 1})}

    async with way_out(api, dialect=None) as out:
        assert [await out.call("GET", *segments) for _ in range(3)] == [{"mindCount": 1}] * 3

    assert len(api.sent(f"GET /minds{rest}")) == 1


async def test_a_stream_of_an_older_upstream_is_opened_and_read_in_its_words(api: FakeApi) -> None:
    events = b'data: {"type":"answer","sparkName":"Mia"}\n\ndata: {"type":"done"}\n\n'
    stream = Reply(events, headers={"content-type": "text/event-stream"})
    api.answers |= {"POST /studies/1/ask": GONE, "POST /panels/1/ask": stream}

    async with way_out(api, dialect=None) as out, out.stream("POST", "studies", "1", "ask", json={}) as told:
        names = [event.get("mindName") async for event in told]

    assert names == ["Mia", None]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_collection_that_is_gone_is_looked_for_under_its_other_name(api: FakeApi, method: str) -> None:
    api.answers |= {
        f"{method} /panels/1": Reply({"data": {"id": "1"}}),
        f"{method} /panels": GONE,
        f"{method} /studies/1": GONE,
        f"{method} /studies": Reply({"data": {"id": "1"}}),
    }
    body = {"name": "p", "audienceIds": ["a"]} if method == "POST" else None

    async with way_out(api, dialect=None) as out:
        await out.call(method, "studies", "1")  # by which it is an older one
        assert [await out.call(method, "studies", json=body) for _ in range(2)] == [{"data": {"id": "1"}}] * 2

    assert len(api.sent(f"{method} /panels")) == 1
    if method == "POST":
        assert api.sent_json("POST /panels") == [{"name": "p", "groupIds": ["a"]}]
        assert api.sent_json("POST /studies") == [body, body]


@pytest.mark.parametrize("rest", [(), ("1",)])
async def test_a_404_that_the_dialect_does_not_explain_is_a_404_and_teaches_nothing(
    api: FakeApi, rest: tuple[str, ...]
) -> None:
    routes = [f"POST {'/'.join(('', name, *rest))}" for name in ("studies", "panels")]
    api.answers |= dict.fromkeys(routes, GONE)

    async with way_out(api, dialect=None) as out:
        for _ in range(2):
            with pytest.raises(Missing):
                await out.call("POST", "studies", *rest, json={"audienceIds": ["unknown"]})

    assert [len(api.sent(route)) for route in routes] == [2, 2]


@pytest.mark.parametrize(("dialect", "segments"), [(CURRENT, ("minds",)), (None, ("auth",)), (None, ("minds", "1"))])
async def test_what_is_missing_elsewhere_or_where_the_dialect_is_known_is_asked_for_once(
    api: FakeApi, dialect: Dialect | None, segments: tuple[str, ...]
) -> None:
    missing = f"GET /{'/'.join(segments)}"
    api.answers |= {"GET /minds": Reply({}), missing: GONE}

    async with way_out(api, dialect=dialect) as out:
        if len(segments) > 1:
            await out.call("GET", "minds")
        with pytest.raises(Missing):
            await out.call("GET", *segments)

    assert [f"{sent.method} {sent.url.path.removeprefix('/api/v1')}" for sent in api.asked][-1] == missing


async def test_a_refusal_says_nothing_of_the_words(api: FakeApi) -> None:
    api.answers |= {"GET /minds": [Reply({}, 500), GONE], "GET /sparks": Reply({"sparkCount": 1})}

    async with way_out(api, dialect=None, upstream_retries=0) as out:
        with pytest.raises(ServiceUnavailable):
            await out.call("GET", "minds")
        assert await out.call("GET", "minds") == {"mindCount": 1}

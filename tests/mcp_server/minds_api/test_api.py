"""Calls leave contained, with the caller's own credential, within their time; answers come back as our failures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio
import httpx2
import pytest

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import (
    AuthenticationRequired,
    CircuitBreakerOpen,
    GatewayError,
    InvalidArguments,
    ServiceUnavailable,
    Timeout,
)
from mcp_server.minds_api.api import MOST_LISTED, Api, listed
from mcp_server.minds_api.operations import Operation
from tests.mcp_server.outside import Observed, way_out
from tests.mcp_server.toolsets.personas.world import listing, summary
from tests.support import ADA, API_URL, BOB, FakeApi, Reply, serve, settings, signed_in

TIMEOUTS = {Operation.ASK: "timeout_chat", Operation.IDENTITY: "timeout_polling"}
"""Operations that open within another one's time."""


async def refused(api: Api, kind: type[Exception], *segments: str, **more: Any) -> Exception:
    with pytest.raises(kind) as refusal:
        await api.call("GET", *(segments or ("minds",)), **more)
    return refusal.value


@pytest.mark.requirement(
    "seed:gateway:tool-uses-callers-credential",
    "seed:gateway:tool-api-base-url",
    "seed:gateway:tool-posts-json",
    "seed:gateway:internal-api-over-http",
)
@pytest.mark.parametrize("base", ["http://api.test", "http://api.test/"])
async def test_a_call_goes_to_the_configured_place_as_json_with_the_callers_own_key(api: FakeApi, base: str) -> None:
    api.answers["POST /minds"] = Reply({"ok": True}, 201)

    async with way_out(api, base=base) as out:
        body = await out.call("POST", "minds", json={"name": "Zoë"}, headers={"x-extra": "1"})

    [sent] = api.asked
    assert body == {"ok": True}
    assert str(sent.url) == "http://api.test/api/v1/minds"
    assert sent.content == '{"name":"Zoë"}'.encode()
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["authorization"] == "Bearer minds_ada"
    assert sent.headers["x-extra"] == "1"


async def test_each_caller_is_shown_by_their_own_key_and_nobody_by_none(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({})

    for caller in (ADA, BOB):
        async with way_out(api, caller) as out:
            await out.call("GET", "minds")
    async with way_out(api, ANONYMOUS) as out:
        await refused(out, AuthenticationRequired)

    assert [sent.headers["authorization"] for sent in api.asked] == ["Bearer minds_ada", "Bearer minds_bob"]


async def test_a_call_under_way_goes_no_further_when_its_credential_has_ended(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({})
    holder: list[Caller | None] = [ADA]

    async def again() -> Caller | None:
        return holder[0]

    async with way_out(api, replace(ADA, again=again)) as out:
        await out.call("GET", "minds")
        holder[0] = None
        await refused(out, AuthenticationRequired)

    assert len(api.asked) == 1


@pytest.mark.parametrize(
    ("segment", "path"),
    [
        ("../admin", "/api/v1/minds/..%2Fadmin"),
        ("..%2fadmin", "/api/v1/minds/..%252fadmin"),
        ("a/b", "/api/v1/minds/a%2Fb"),
        ("a\\b", "/api/v1/minds/a%5Cb"),
        ("a?b=c", "/api/v1/minds/a%3Fb%3Dc"),
        ("a#b", "/api/v1/minds/a%23b"),
        ("a;b", "/api/v1/minds/a%3Bb"),
        ("@evil.test", "/api/v1/minds/%40evil.test"),
        ("日", "/api/v1/minds/%E6%97%A5"),
        (" ", "/api/v1/minds/%20"),
        ("\x7f", "/api/v1/minds/%7F"),
    ],
)
async def test_an_id_stays_one_segment_of_the_url_that_leaves(api: FakeApi, segment: str, path: str) -> None:
    api.answers[f"GET {httpx2.URL(API_URL + path).path.removeprefix('/api/v1')}"] = Reply({})

    async with way_out(api) as out:
        await out.call("GET", "minds", segment)

    assert api.asked[0].url.raw_path.decode() == path
    assert api.asked[0].url.host == "api.test"


@pytest.mark.parametrize("segment", ["", ".", "..", "...", "a\nb", "a\r\nHost: evil", "\x00", "\x1f"])
async def test_what_cannot_be_an_id_does_not_leave(api: FakeApi, segment: str) -> None:
    async with way_out(api) as out:
        await refused(out, InvalidArguments, "minds", segment)

    assert api.asked == []


@pytest.mark.requirement(
    "seed:gateway:timeout-default",
    "seed:gateway:timeout-create",
    "seed:gateway:timeout-chat",
    "seed:gateway:timeout-polling",
)
def test_the_times_are_those_of_the_published_table() -> None:
    chosen = settings()

    assert (chosen.timeout_default, chosen.timeout_create, chosen.timeout_chat, chosen.timeout_polling) == (
        30,
        60,
        45,
        5,
    )


@pytest.mark.parametrize("operation", Operation)
async def test_each_operation_ends_at_its_own_time(api: FakeApi, operation: Operation) -> None:
    async def never(_request: httpx2.Request) -> Reply:
        await anyio.sleep_forever()
        raise AssertionError

    api.answers["GET /minds"] = never
    observed: Observed = []
    short: dict[str, Any] = {TIMEOUTS.get(operation, f"timeout_{operation.value}"): 0.01}

    async with way_out(api, observed=observed, **short) as out:
        with anyio.fail_after(5):
            await refused(out, Timeout, operation=operation)

    assert observed == [(operation.value, "timeout")]


async def test_a_redirect_is_not_followed_with_the_credential_and_is_no_answer(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({"moved": True}, 307, {"location": "http://evil.test/"})

    async with way_out(api, breaker_failures=1) as out:
        for _ in range(3):
            refusal = await refused(out, ServiceUnavailable)

    assert "MINDSAI_API_URL" in str(refusal)
    assert {sent.url.host for sent in api.asked} == {"api.test"}


@pytest.mark.requirement("seed:gateway:breaker-around-api", "seed:gateway:utility-api-client")
@pytest.mark.parametrize("fault", [Reply({}, 500), Reply({}, 503), httpx2.ConnectError("x"), httpx2.ReadTimeout("x")])
async def test_five_faults_open_the_breaker_and_the_sixth_call_does_not_leave(
    api: FakeApi, fault: Reply | Exception
) -> None:
    api.answers["GET /minds"] = fault

    async with way_out(api, upstream_retries=0) as out:
        for _ in range(5):
            await refused(out, GatewayError)
        await refused(out, CircuitBreakerOpen)

    assert len(api.asked) == 5


async def all_listed(api: FakeApi) -> list[Mapping[str, Any]]:
    async with serve(api) as gateway:
        with signed_in(ADA):
            return (await listed(gateway.runtime.api, "minds"))[0]


@pytest.mark.parametrize(
    ("exist", "total", "pages", "rows"), [(150, None, 2, 150), (10**9, 10**9, MOST_LISTED // 100, MOST_LISTED)]
)
async def test_a_listing_ends_with_its_last_page_or_after_many(
    api: FakeApi, exist: int, total: int | None, pages: int, rows: int
) -> None:
    def page(request: httpx2.Request) -> Reply:
        offset = int(request.url.params["offset"])
        found = [summary(f"P{number}") for number in range(offset, min(offset + 100, exist))]
        return Reply({"data": found}) if total is None else listing(found, total=total)

    api.answers["GET /minds"] = page

    assert len(await all_listed(api)) == rows

    assert len(api.asked) == pages


async def test_a_listing_that_ignores_the_offset_does_not_go_round_for_ever(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({"data": [summary(f"P{number}") for number in range(100)]})

    assert len(await all_listed(api)) == 100

    assert len(api.asked) == 2


@pytest.mark.parametrize("body", [None, [], {}, {"data": None}, {"data": "x"}])
async def test_a_listing_that_is_none_is_refused(api: FakeApi, body: Any) -> None:
    api.answers["GET /minds"] = Reply(body)

    async with serve(api) as gateway:
        with signed_in(ADA), pytest.raises(ServiceUnavailable):
            await listed(gateway.runtime.api, "minds")


async def test_what_has_no_id_is_left_out(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({"data": [summary("Ada"), {"name": "nobody"}, 7, {"id": 1}]})

    rows = await all_listed(api)

    assert [row["name"] for row in rows] == ["Ada"]

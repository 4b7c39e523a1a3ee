"""One id and one line for each request, without its query."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from structlog.testing import capture_logs

from app.middleware.request_log import request_id_of
from tests.edge import ERAS, Edge

PLAIN = re.compile(r"[0-9a-f]{32}")


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_is_one_line_with_what_was_asked_and_what_came_of_it(edge: Edge, era: str) -> None:
    with capture_logs() as lines:
        await edge.call("private", era=era, key=edge.narrow_key)

    (line,) = [line for line in lines if line["event"] == "request"]
    assert (line["method"], line["path"], line["status"]) == ("POST", "/mcp", 403)
    assert (line["rpc"], line["tool"]) == ("tools/call", "private")
    assert line["ms"] >= 0


async def test_probes_are_not_logged(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/livez")
        await edge.client.get("/readyz")
        await edge.client.get("/metrics")

    assert lines == []


async def test_the_query_and_the_headers_are_not_logged(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/mcp?code=hunter2&state=hunter2", headers={"cookie": "session=hunter2"})
        await edge.call("say", {"text": "hunter2"}, key=edge.key)

    assert "hunter2" not in str(lines)
    assert edge.key not in str(lines)


async def test_a_plain_request_id_is_taken_over(edge: Edge) -> None:
    response = await edge.rpc("ping", headers={"x-request-id": "trace-1.2:3_4"})

    assert response.headers["x-request-id"] == "trace-1.2:3_4"


@pytest.mark.security("HD-09")
@pytest.mark.parametrize("given_id", ["x" * 5_000, "a b", "<script>", "a,b", "", "{}", "a;b=c", '"'])
async def test_an_odd_request_id_is_replaced(edge: Edge, given_id: str) -> None:
    response = await edge.rpc("ping", headers={"x-request-id": given_id})

    assert response.status_code == 200
    assert PLAIN.fullmatch(response.headers["x-request-id"])


@pytest.mark.security("HD-09")
@given(text=st.text(max_size=100))
def test_a_request_id_is_always_short_and_plain(text: str) -> None:
    taken = request_id_of(Headers({"x-request-id": text.encode("utf-8").decode("latin-1")}))

    assert re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", taken)


@pytest.mark.parametrize("path", ["/nope", "/mcp", "/.well-known/oauth-protected-resource", "/livez"])
async def test_every_answer_has_an_id(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.headers["x-request-id"]


async def test_a_long_path_is_cut_in_the_log(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/" + "a" * 4_000)

    assert [len(line["path"]) for line in lines] == [200]

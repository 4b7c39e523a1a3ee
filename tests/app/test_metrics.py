"""What Prometheus reads, and who may read it."""

from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr
from starlette.requests import Request

from app.metrics import Metrics, may_scrape
from mcp_server.events import ToolCalled
from tests.edge import Edge, running, settings_for

TOKEN = SecretStr("a-long-random-token")


def scrape(client: str | None = "127.0.0.1", **headers: str) -> Request:
    given = {"host": "127.0.0.1:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    return Request(
        {"type": "http", "method": "GET", "path": "/metrics", "headers": raw, "client": client and (client, 1)}
    )


async def test_calls_requests_and_breakers_are_counted(edge: Edge) -> None:
    await edge.call("say")
    await edge.call("fail")
    await edge.call("private")

    text = (await edge.client.get("/metrics")).text

    assert 'mcp_tool_calls_total{code="",outcome="success",tool="say"}' in text
    assert 'mcp_tool_calls_total{code="not_found",outcome="failure",tool="fail"}' in text
    assert 'http_requests_total{method="POST",status="401"}' in text
    assert "mcp_tool_call_duration_seconds_bucket" in text
    assert "upstream_breaker_state{" in text


@pytest.mark.security("AK-07")
async def test_no_label_holds_what_a_caller_may_choose(edge: Edge) -> None:
    await edge.call("tool-of-the-caller")
    await edge.rpc("method-of-the-caller")
    await edge.client.request("PROPFIND", "/path-of-the-caller")
    await edge.call("say", key=edge.key)

    text = (await edge.client.get("/metrics")).text

    assert "of-the-caller" not in text
    assert "PROPFIND" not in text
    assert edge.key not in text


def test_without_a_token_only_this_machine_may_read() -> None:
    assert may_scrape(scrape(), None)
    assert may_scrape(scrape(client="::1", host="[::1]:8000"), None)
    assert may_scrape(scrape(host="localhost"), None)
    assert not may_scrape(scrape(client="10.0.0.7"), None)
    assert not may_scrape(scrape(client=None), None)


@pytest.mark.parametrize("header", ["forwarded", "x_forwarded_for", "x_real_ip"])
def test_without_a_token_what_a_proxy_passes_on_does_not_count_as_this_machine(header: str) -> None:
    assert not may_scrape(scrape(**{header: "127.0.0.1"}), None)


@pytest.mark.security("OR-07")
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil", "", "[", "127.0.0.1@evil"])
def test_a_page_that_rebinds_its_name_to_this_machine_may_not_read(host: str) -> None:
    assert not may_scrape(scrape(host=host), None)


def test_with_a_token_whoever_has_it_may_read_from_anywhere() -> None:
    assert may_scrape(scrape(client="10.0.0.7", host="gateway", authorization="Bearer a-long-random-token"), TOKEN)
    assert not may_scrape(scrape(), TOKEN)
    assert not may_scrape(scrape(authorization="Bearer wrong"), TOKEN)
    assert not may_scrape(scrape(authorization="Bearer é"), TOKEN)


@pytest.mark.security("HD-08")
async def test_a_stranger_gets_403_and_nothing_else(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        transport = httpx2.ASGITransport(edge.app, client=("10.0.0.7", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as stranger:
            response = await stranger.get("/metrics")

    assert (response.status_code, response.content) == (403, b"")


def test_two_applications_in_one_process_do_not_mix() -> None:
    one, other = Metrics(), Metrics()

    one.tool(ToolCalled("say", "success", None, 0.1, None, None, "2026-07-28", "0" * 16))
    one.upstream("chat", "2xx", 0.1)

    assert b'tool="say"' in one.text({"a": "open"})
    assert b'tool="say"' not in other.text({})
    assert (one.calls, one.failures, other.calls) == (1, 0, 0)

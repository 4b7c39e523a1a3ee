"""Who may read the metrics, and in which format."""

from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr
from starlette.requests import Request

from app.metrics.sampling import may_scrape
from tests.edge import Edge, running, settings_for

TOKEN = SecretStr("a-long-random-token")
OPENMETRICS = {"accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"}


def scrape(client: str | None = "127.0.0.1", **headers: str) -> Request:
    given = {"host": "127.0.0.1:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    return Request(
        {"type": "http", "method": "GET", "path": "/metrics", "headers": raw, "client": client and (client, 1)}
    )


def test_without_a_token_only_this_machine_may_read() -> None:
    assert may_scrape(scrape(), None, is_production=False)
    assert may_scrape(scrape(client="::1", host="[::1]:8000"), None, is_production=False)
    assert may_scrape(scrape(host="localhost"), None, is_production=False)
    assert not may_scrape(scrape(client="10.0.0.7"), None, is_production=False)
    assert not may_scrape(scrape(client=None), None, is_production=False)


@pytest.mark.parametrize("header", ["forwarded", "x_forwarded_for", "x_real_ip"])
def test_without_a_token_what_a_proxy_passes_on_does_not_count_as_this_machine(header: str) -> None:
    assert not may_scrape(scrape(**{header: "127.0.0.1"}), None, is_production=False)


@pytest.mark.security("OR-07")
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil", "", "[", "127.0.0.1@evil"])
def test_a_page_that_rebinds_its_name_to_this_machine_may_not_read(host: str) -> None:
    assert not may_scrape(scrape(host=host), None, is_production=False)


@pytest.mark.parametrize("client", ["127.0.0.1", "::1"])
def test_in_production_nobody_may_read_without_a_token_because_a_proxy_may_stand_on_this_machine(client: str) -> None:
    assert not may_scrape(scrape(client=client), None, is_production=True)
    assert not may_scrape(scrape(client=client), TOKEN, is_production=True)
    assert may_scrape(scrape(client=client, authorization="Bearer a-long-random-token"), TOKEN, is_production=True)


def test_with_a_token_whoever_has_it_may_read_from_anywhere() -> None:
    assert may_scrape(
        scrape(client="10.0.0.7", host="gateway", authorization="Bearer a-long-random-token"),
        TOKEN,
        is_production=False,
    )
    assert not may_scrape(scrape(), TOKEN, is_production=False)
    assert not may_scrape(scrape(authorization="Bearer wrong"), TOKEN, is_production=False)
    assert not may_scrape(scrape(authorization="Bearer é"), TOKEN, is_production=False)


@pytest.mark.security("HD-08")
async def test_a_stranger_gets_403_and_nothing_else(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        transport = httpx2.ASGITransport(edge.app, client=("10.0.0.7", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as stranger:
            response = await stranger.get("/metrics")

    assert (response.status_code, response.content) == (403, b"")


async def test_a_gateway_in_production_shows_them_to_no_plain_proxy(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, site_url="https://mcp.example.com")
    async with running(settings) as edge:
        response = await edge.client.get("/metrics", headers={"host": "127.0.0.1:8000"})

    assert response.status_code == 403


async def test_openmetrics_is_for_whoever_asks_for_it_and_text_for_everybody_else(edge: Edge) -> None:
    plain = await edge.client.get("/metrics")
    open_ = await edge.client.get("/metrics", headers=OPENMETRICS)

    assert plain.headers["content-type"].startswith("text/plain")
    assert open_.headers["content-type"].startswith("application/openmetrics-text")
    assert open_.text.endswith("# EOF\n")
    assert open_.headers["cache-control"] == "no-store"


async def test_an_accept_header_of_any_form_is_answered(edge: Edge) -> None:
    for odd in ("application/openmetrics-text;version=x", "application/openmetrics-text;version=", "," * 3_000, "é"):
        response = await edge.client.get("/metrics", headers={b"accept": odd.encode()})
        assert response.status_code == 200


async def test_nothing_is_shown_where_nothing_is_counted(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, metrics_enabled=False)) as edge:
        called = await edge.call("say")
        response = await edge.client.get("/metrics")
        health = (await edge.client.get("/mcp")).json()

    assert (called.status_code, response.status_code) == (200, 404)
    assert health["metrics"]["toolCalls"] == 1

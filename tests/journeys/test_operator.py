"""What an operator reads at `/metrics` of the real server is what the clients did."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.edge import LEGACY, MODERN, request
from tests.journeys.clients import PATIENCE
from tests.journeys.gateway import Gateway

LIST, CHECK = "list_my_ai_personas", "check_ai_persona_training_progress"
GHOST = {"sparkId": "00000000-0000-4000-8000-000000000000"}


@pytest.fixture
def web() -> Iterator[httpx2.Client]:
    with httpx2.Client(trust_env=False, timeout=PATIENCE) as web:
        yield web


class Counters:
    """The samples of one scrape."""

    def __init__(self, text: str) -> None:
        self._samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def of(self, name: str, **labels: str) -> float:
        """The sum over all samples of that name with at least these labels."""
        return sum(
            sample.value for sample in self._samples if sample.name == name and labels.items() <= sample.labels.items()
        )


def scrape(web: httpx2.Client, gateway: Gateway) -> Counters:
    response = web.get(gateway.url.replace("/mcp", "/metrics"))
    assert response.headers["content-type"].startswith("text/plain")
    return Counters(response.text)


def call(web: httpx2.Client, gateway: Gateway, tool: str, arguments: Any, era: str, key: str) -> int:
    headers, body = request("tools/call", {"name": tool, "arguments": arguments}, era=era, key=key)
    return web.post(gateway.url, headers=headers, json=body).status_code


@pytest.mark.requirement("seed:gateway:utility-metrics")
def test_requests_errors_and_tool_calls_are_counted(gateway: Gateway, web: httpx2.Client) -> None:
    before = scrape(web, gateway)
    statuses = [
        call(web, gateway, LIST, {}, MODERN, gateway.alice),
        call(web, gateway, LIST, {}, MODERN, gateway.alice),
        call(web, gateway, CHECK, GHOST, LEGACY, gateway.alice),
        call(web, gateway, LIST, {}, LEGACY, f"minds_{'0' * 48}"),
    ]
    after = scrape(web, gateway)

    def more(name: str, **labels: str) -> float:
        return after.of(name, **labels) - before.of(name, **labels)

    assert statuses == [200, 200, 200, 401]
    assert more("http_requests_total", method="POST", status="200") == 3
    assert more("http_requests_total", method="POST", status="401") == 1
    assert more("mcp_tool_calls_total", tool=LIST, outcome="success") == 2
    assert more("mcp_tool_calls_total", tool=CHECK, outcome="failure", code="not_found") == 1
    assert more("mcp_tool_calls_total") == 3
    assert more("mcp_tool_call_duration_seconds_count", tool=LIST) == 2
    assert more("upstream_request_duration_seconds_count", outcome="2xx") >= 2

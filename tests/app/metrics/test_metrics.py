"""What is counted, under which names and labels."""

import re
import time
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as open_text

from app.metrics.families import Families
from app.metrics.metrics import AREAS, SLOW, Metrics, area
from mcp_server.observability.events import ToolCalled
from mcp_server.observability.tracing import current_request, current_trace, read
from tests import documents
from tests.edge import Edge, running, settings_for

ROOT = Path(__file__).resolve().parents[3]
CALLED = ToolCalled("say", "success", None, 0.1, None, None, "2026-07-28", "0" * 16)


def text(metrics: Metrics) -> str:
    return generate_latest(metrics.families.shown()).decode()


async def test_calls_requests_and_breakers_are_counted(edge: Edge) -> None:
    await edge.call("say")
    await edge.call("fail")
    await edge.call("private")

    text = (await edge.client.get("/metrics")).text

    assert 'mcp_tool_calls_total{code="",outcome="success",tool="say"}' in text
    assert 'mcp_tool_calls_total{code="not_found",outcome="failure",tool="fail"}' in text
    assert 'http_requests_total{area="mcp",method="POST",status="401"}' in text
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


async def test_no_credential_and_each_kind_of_credential_is_counted_by_what_became_of_it(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        await edge.call("say")
        await edge.call("say", key=edge.key)
        await edge.call("say", key="minds_" + "f" * 48)
        await edge.call("say", key="of-no-kind")
        shown = (await edge.client.get("/metrics")).text

    assert 'authentication_attempts_total{kind="anonymous",outcome="valid"} 1.0' in shown
    assert 'authentication_attempts_total{kind="api_key",outcome="valid"} 1.0' in shown
    assert 'authentication_attempts_total{kind="api_key",outcome="invalid"} 1.0' in shown
    assert 'authentication_attempts_total{kind="unknown",outcome="invalid"} 1.0' in shown


async def test_the_process_its_workers_its_pool_and_the_requests_in_flight_are_shown(edge: Edge) -> None:
    await edge.client.get("/metrics")
    shown = (await edge.client.get("/metrics")).text

    assert "http_requests_in_flight 1.0" in shown  # the first is answered
    assert "gateway_workers 1.0" in shown
    assert "gateway_worker_starts_total 1.0" in shown
    assert 'gateway_build_info{python="3' in shown
    assert 'database_connections{state="in_use"}' in shown
    assert float(re.findall(r"^process_resident_memory_bytes (.+)$", shown, re.MULTILINE)[0]) > 1e6


def test_two_applications_in_one_process_do_not_mix() -> None:
    one, other = Metrics(), Metrics()

    one.tool(CALLED)

    assert 'tool="say"' in text(one)
    assert 'tool="say"' not in text(other)
    assert (one.calls, one.failures, other.calls) == (1, 0, 0)


def test_the_breaker_is_shown_as_it_is_and_how_often_it_changed() -> None:
    metrics = Metrics()

    metrics.breaker_changed("api:chat", "closed", "open")
    metrics.breaker_changed("api:chat", "open", "half-open")

    assert 'upstream_breaker_state{breaker="api:chat"} 1.0' in text(metrics)
    assert 'upstream_breaker_changes_total{breaker="api:chat",state="open"} 1.0' in text(metrics)


def test_the_first_loss_is_an_increase() -> None:
    before = text(Metrics())

    assert 'queue_losses_total{queue="audit"} 0.0' in before
    assert 'trace_spans_exported_total{outcome="failure"} 0.0' in before


def test_what_the_system_says_of_the_process_is_shown_and_its_processor_time_counted_once() -> None:
    metrics = Metrics()

    metrics.look()
    metrics.look()

    shown = {name: float(value) for name, value in re.findall(r"^(process_\w+) (.+)$", text(metrics), re.MULTILINE)}
    assert shown["process_cpu_seconds_total"] <= time.process_time() + 0.1
    assert shown["process_open_fds"] > 2
    assert shown["process_threads"] >= 1
    assert shown["process_resident_memory_bytes"] > 1e6


@pytest.mark.parametrize(
    ("trace", "exemplar"),
    [(None, '# {request_id="r-1"}'), (f"00-{'a' * 32}-{'b' * 16}-01", f'# {{trace_id="{"a" * 32}"}}')],
)
def test_what_is_slow_has_an_exemplar_that_leads_to_its_trace_or_its_log_lines(
    trace: str | None, exemplar: str
) -> None:
    metrics, request, seen = Metrics(), current_request.set("r-1"), current_trace.set(read(trace or "", ""))

    for seconds in (SLOW / 2, SLOW):
        metrics.tool(CALLED._replace(seconds=seconds))
    current_request.reset(request)
    current_trace.reset(seen)

    lines = open_text(metrics.families.shown()).decode().splitlines()  # type: ignore[no-untyped-call]  # it has no hints
    assert [line for line in lines if "# {" in line] == [line for line in lines if exemplar in line]
    assert len([line for line in lines if exemplar in line]) == 1


def test_where_nothing_is_counted_the_health_page_still_knows_the_calls() -> None:
    metrics = Metrics(Families(counts=False))

    metrics.tool(CALLED)
    metrics.request_ended("POST", "/mcp", 200, 0.1)
    metrics.breaker("a", "open")

    assert metrics.calls == 1
    assert text(metrics) == ""


@pytest.mark.parametrize(
    ("path", "name"),
    [("/mcp", "mcp"), ("/oauth/token", "oauth"), ("/metrics", "probes"), ("/account", "pages"), ("/x" * 900, "pages")],
)
def test_a_path_is_one_of_a_few_areas(path: str, name: str) -> None:
    assert area(path) == name
    assert len({*AREAS.values(), "pages"}) < 10


def test_the_page_of_metrics_lists_each_with_its_labels() -> None:
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    told = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in documents.rows(page)}
    counted = {name: set(labels) for name, labels in Metrics().families.names.items()}

    assert {name: told.get(name) for name in counted} == counted
    assert {name for name in told if "_" in name} - set(counted) == set()

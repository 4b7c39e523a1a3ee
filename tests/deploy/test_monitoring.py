"""The dashboard and the alert rules speak of metrics that there are, and Prometheus accepts the rules."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from app.metrics.metrics import Metrics
from mcp_server.observability.events import ToolCalled

ROOT = Path(__file__).resolve().parents[2]
PROMETHEUS, GRAFANA = ROOT / "deploy/prometheus", ROOT / "deploy/grafana"
OF_PROMETHEUS = {"up"}
"""What it adds to every scrape."""

LABELS_OF_PROMETHEUS = {"job", "instance", "le"}
FUNCTIONS = {"sum", "max", "min", "count", "rate", "increase", "histogram_quantile", "label_values"}
WORDS = FUNCTIONS | {"by", "on", "and", "or", "unless", "without", "ignoring"}

WORKERS_DIE = "GatewayWorkerRestarts"

promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")


def counted() -> Metrics:
    """Metrics of which each has been used."""
    metrics = Metrics()
    metrics.request_ended("POST", "/mcp", 200, 0.1)
    metrics.tool(ToolCalled("say", "success", None, 0.1, None, None, "2026-07-28", "0" * 16))
    metrics.upstream("chat", "2xx", 0.1)
    metrics.retried("chat")
    metrics.breaker_changed("api:chat", "closed", "open")
    metrics.bulkhead_refused("all")
    for family in (metrics.bulkheads, metrics.bulkhead_sizes, metrics.queues, metrics.jobs):
        family["all",].set(1)
    metrics.limit_checks["tools", "allowed"].inc()
    metrics.authentications["api_key", "valid"].inc()
    metrics.cache("verifications")(True)
    metrics.audit_rows["file", "written"].inc()
    metrics.exported(1, True)
    metrics.worker_started()
    metrics.connections["in_use",].set(1)
    metrics.look()
    return metrics


def samples(registry: CollectorRegistry) -> dict[str, set[str]]:
    """Each series' name with its labels."""
    return {sample.name: set(sample.labels) for family in registry.collect() for sample in family.samples}


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((PROMETHEUS / "rules.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((GRAFANA / "dashboards/gateway.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = dashboard["panels"]
    return found


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in panels() for target in panel.get("targets", []))
    yield "label_values(gateway_build_info, job)"


def named(expression: str) -> set[str]:
    """The series that an expression reads."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]', " ", expression)
    bare = re.sub(r"\b(by|on|without|ignoring)\s*\([^)]*\)", " ", bare)
    return {word for word in re.findall(r"[a-z][a-z0-9_:]*", bare) if word not in WORDS | {"job"}}


def labels(expression: str) -> dict[str, set[str]]:
    """The labels that each series of an expression is chosen by."""
    found = re.findall(r"([a-z][a-z0-9_:]*)\{([^}]*)\}", expression)
    return {name: set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", inside)) for name, inside in found}


def test_every_name_in_the_rules_and_on_the_dashboard_is_one_that_a_scrape_finds() -> None:
    known = {*samples(counted().families.registry), *OF_PROMETHEUS, *(rule.get("record", "") for rule in rules())}

    assert {name for expression in expressions() for name in named(expression)} - known == set()


def test_every_metric_is_on_the_dashboard_but_those_that_are_parts_of_one() -> None:
    shown = {name for panel in panels() for target in panel.get("targets", []) for name in named(target["expr"])}
    families = set(Metrics().families.names)

    assert {name for name in families if not shown & {name, f"{name}_bucket", f"{name}_count"}} == set()


def test_every_series_is_chosen_by_labels_that_it_has() -> None:
    known = samples(counted().families.registry)
    wrong = {
        (name, label)
        for expression in expressions()
        for name, chosen in labels(expression).items()
        for label in chosen - known.get(name, set()) - LABELS_OF_PROMETHEUS
        if name in known
    }

    assert wrong == set()


def test_every_alert_says_how_bad_it_is_what_is_wrong_and_what_to_do() -> None:
    alerts = [rule for rule in rules() if "alert" in rule]

    assert len({rule["alert"] for rule in alerts}) == len(alerts) > 10
    assert {rule["labels"]["severity"] for rule in alerts} == {"critical", "warning", "info"}
    assert all(set(rule["annotations"]) == {"summary", "action"} for rule in alerts)


def test_the_dashboard_asks_the_data_source_that_is_provisioned_and_no_two_panels_overlap() -> None:
    source = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yml").read_text(encoding="utf-8"))
    (given,) = source["datasources"]
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels())
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert {panel["datasource"]["uid"] for panel in panels() if "datasource" in panel} == {given["uid"]}
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in panels()}) == len(panels())


@promtool
def test_prometheus_accepts_the_configuration_and_the_rules(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PROMETHEUS, tmp_path / "prometheus"))
    token = tmp_path / "metrics_token"
    token.write_text("a-token", encoding="utf-8")
    written = (folder / "prometheus.yml").read_text(encoding="utf-8")
    (folder / "prometheus.yml").write_text(written.replace("/run/secrets/metrics_token", str(token)), encoding="utf-8")

    for check in (("rules", "rules.yml"), ("config", "prometheus.yml")):
        told = subprocess.run(
            ["promtool", "check", *check], cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
        assert told.returncode == 0, told.stdout + told.stderr


ALERTS: list[tuple[dict[str, str], str, bool]] = [
    ({'upstream_breaker_state{breaker="a:chat"}': "2x20"}, "GatewayBreakerOpen", True),
    ({'upstream_breaker_state{breaker="a:chat"}': " ".join(["2 2 1 1"] * 5)}, "GatewayBreakerOpen", True),
    ({'upstream_breaker_state{breaker="a:chat"}': "0x20"}, "GatewayBreakerOpen", False),
    ({"rate_limit_failover": "1x20"}, "GatewayLimiterFailover", True),
    ({'queue_losses_total{queue="audit"}': "0x12 1x7"}, "GatewayQueueLosses", True),
    ({"gateway_worker_starts_total": "2x10 4x10", "gateway_worker_losses_total": "0x20"}, WORKERS_DIE, False),
    ({"gateway_worker_starts_total": "2x10 3x10", "gateway_worker_losses_total": "0x10 1x10"}, WORKERS_DIE, True),
    ({'mcp_tool_calls_total{outcome="error",code="INTERNAL_ERROR"}': "0+9x20"}, "GatewayErrorRate", True),
    (
        {
            'mcp_tool_calls_total{outcome="refused",code="RATE_LIMIT_EXCEEDED"}': "0+9x20",
            'mcp_tool_calls_total{outcome="success",code=""}': "0+9x20",
        },
        "GatewayErrorRate",
        False,
    ),
    ({'mcp_tool_calls_total{outcome="refused",code="CLIENT_DEADLINE"}': "0+9x20"}, "GatewayErrorRate", False),
    ({'mcp_tool_calls_total{outcome="refused",code="TIMEOUT"}': "0+9x20"}, "GatewayErrorRate", True),
]
"""Series, the alert that they are about, and whether it fires."""


@promtool
def test_every_alert_fires_when_it_should_and_not_otherwise(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PROMETHEUS, tmp_path / "prometheus"))
    cases = []
    for series, alert, fires in ALERTS:
        given = [{"series": _of_one_instance(name), "values": f"{values}"} for name, values in series.items()]
        asked = {"expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)', "eval_time": "19m"}
        answer = {**asked, "exp_samples": [{"labels": "{}", "value": 1 if fires else 0}]}
        cases.append({"interval": "1m", "input_series": given, "promql_expr_test": [answer]})
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": cases}
    (folder / "case.yml").write_text(yaml.safe_dump(tests), encoding="utf-8")

    told = subprocess.run(
        ["promtool", "test", "rules", "case.yml"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )

    assert told.returncode == 0, told.stdout + told.stderr


def _of_one_instance(series: str) -> str:
    name, _, inside = series.partition("{")
    return f'{name}{{{inside.rstrip("}") + "," if inside else ""}job="minds-gateway",instance="one"}}'

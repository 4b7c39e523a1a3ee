"""The compose file agrees with settings, image and its other files, and gives no container more than it needs."""

import re
from typing import Any

import pytest
import yaml

from app.process.start_checks import start_problems
from app.settings import Settings
from tests.deploy.image import ROOT
from tests.test_locks import registries

TEXT = (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / "deploy/env.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
SECRET = "8d1f06c3b7a2e945" * 4


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_is_read_only_without_capabilities_and_watched(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] == "CMD"
    assert "privileged" not in service
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert ("cap_add" in service) is (name == "postgres")
    mounted = [volume for volume in service.get("volumes", []) if volume.startswith(".")]
    assert all(volume.endswith(":ro") for volume in mounted)
    assert all((ROOT / "deploy" / volume.split(":")[0]).is_dir() for volume in mounted)


def test_networks_of_data_and_metrics_lead_nowhere() -> None:
    assert set(SERVICES) == {"gateway", "postgres", "redis", "prometheus", "grafana"}
    assert COMPOSE["networks"]["store"] == COMPOSE["networks"]["watch"] == {"internal": True}
    assert {name for name, service in SERVICES.items() if "front" in service["networks"]} == {"gateway", "grafana"}
    assert SERVICES["postgres"]["networks"] == SERVICES["redis"]["networks"] == ["store"]


def test_secrets_stand_in_the_file_beside_it_and_no_image_or_file_is_from_a_named_registry() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", TEXT))

    assert asked == set(EXAMPLE)
    assert [name for name, value in EXAMPLE.items() if re.search(r"SECRET|PASSWORD|TOKEN", name) and value] == []
    assert registries(TEXT) == []
    assert [s["image"] for s in SERVICES.values() if "." in s["image"].partition("/")[0].partition(":")[0]] == []


def test_a_gateway_with_these_settings_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in SERVICES["gateway"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{([A-Z_]+)[^}]*\}", lambda m: EXAMPLE[m[1]] or _filled(m[1]), value))

    settings = Settings(_env_file=None)

    assert start_problems(settings, workers=2) == []
    assert {name.lower() for name in SERVICES["gateway"]["environment"]} <= set(Settings.model_fields)
    assert settings.is_production
    takes = settings.shutdown_notice_seconds + settings.shutdown_seconds
    assert float(SERVICES["gateway"]["stop_grace_period"].removesuffix("s")) >= takes + 10


def _filled(name: str) -> str:
    return SECRET if re.search(r"KEY|PASSWORD|TOKEN", name) else ""


def mount_of(name: str, folder: str) -> str:
    """Where a folder from beside the compose file is seen in the container."""
    (place,) = [volume.split(":")[1] for volume in SERVICES[name]["volumes"] if volume.startswith(f"{folder}:")]
    return str(place)


def test_grafana_looks_for_dashboards_where_they_are_mounted() -> None:
    provider = ROOT / "deploy/grafana/provisioning/dashboards/gateway.yml"
    (given,) = yaml.safe_load(provider.read_text(encoding="utf-8"))["providers"]

    assert given["options"]["path"] == mount_of("grafana", "./grafana/dashboards")
    assert list((ROOT / "deploy/grafana/dashboards").glob("*.json")) != []


def test_prometheus_reads_its_rules_and_the_token_where_they_are() -> None:
    told = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text(encoding="utf-8"))
    (scrape,) = told["scrape_configs"]
    (secret,) = SERVICES["prometheus"]["secrets"]

    assert mount_of("prometheus", "./prometheus") == "/etc/prometheus"
    assert [(ROOT / "deploy/prometheus" / name).is_file() for name in told["rule_files"]] == [True]
    assert scrape["authorization"]["credentials_file"] == f"/run/secrets/{secret['target']}"
    assert scrape["static_configs"][0]["targets"] == ["gateway:8000"]

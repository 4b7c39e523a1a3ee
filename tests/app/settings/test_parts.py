"""The parts of the settings: published defaults, and what cannot be meant is refused by its name."""

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.settings import Settings
from app.settings.origins import each, network
from mcp_server.settings import Names, settings_problems

PUBLISHED = {
    "max_body_bytes": 4 * 1024 * 1024,
    "shutdown_seconds": 30,
    "shutdown_notice_seconds": 0,
    "rate_limit_enabled": True,
    "rate_limit_anonymous": "100/minute",
    "rate_limit_authenticated": "1000/minute",
    "rate_limit_tools": "create_ai_persona_or_digital_twin=20/minute,talk_to_ai_persona=60/minute,*=100/minute",
    "breaker_failures": 5,
    "breaker_reset_seconds": 30,
    "breaker_successes": 2,
    "timeout_default": 30,
    "timeout_create": 60,
    "timeout_chat": 45,
    "timeout_polling": 5,
    "cache_create_dedup": 10,
    "cache_token": 60,
    "cache_latest_spark": 1800,
    "cache_widget_token": 300,
    "cache_recent_spark": 30,
    "log_level": "info",
    "log_format": "auto",
    "metrics_enabled": True,
    "otel_exporter_otlp_endpoint": None,
    "prometheus_multiproc_dir": None,
}


def test_the_defaults_are_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PUBLISHED:
        monkeypatch.delenv(name.upper(), raising=False)
    settings = Settings(_env_file=None)

    assert {name: getattr(settings, name) for name in PUBLISHED} == PUBLISHED


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_connections": 1},
        {"max_calls_at_once": 0},
        {"body_seconds": 0},
        {"body_seconds": 86_401},
        {"breaker_failures": 0},
        {"breaker_failures": 1_001},
        {"shutdown_seconds": -1},
        {"shutdown_seconds": 1e9},
        {"shutdown_notice_seconds": -1},
        {"shutdown_notice_seconds": 1e9},
        {"security_contact": "security@b.example"},
        {"security_contact": "http://b.example"},
        {"security_contact": "https://b.example/a\nExpires: never"},
        {"redis_url": "http://localhost"},
        {"redis_patience_seconds": 0},
        {"rate_limit_anonymous": "many"},
        {"rate_limit_authenticated": "0/minute"},
        {"rate_limit_tools": "talk"},
        {"rate_limit_oauth": "tokens=1/minute"},
        {"rate_limit_workers": 0},
        {"otel_exporter_otlp_endpoint": "collector:4318"},
        {"otel_exporter_otlp_headers": "secret-without-a-name"},
        {"otel_traces_sampler": "sometimes"},
        {"otel_traces_sampler_arg": 1.5},
        {"log_level": "loud"},
        {"log_format": "yaml"},
        {"audit_sink": "file,paper"},
        {"audit_syslog_address": "host:514"},
        {"audit_retention_days": 1},
        {"oidc_issuer": "http://id.example.com", "oidc_client_id": "the-gateway"},
        {"secret_key": "a short secret"},
        {"introspection_secret": "short"},
        {"oauth_clients": "nowhere.json"},
        {"oauth_clients": '[{"client_id": '},
        {"oauth_clients": "[" * 100_000},
        {"access_token_seconds": 1},
        {"site_url": "mcp.example.com"},
        {"site_url": "https://mcp.example.com/gateway"},
        {"site_url": "ftp://mcp.example.com"},
        {"port": "70000"},
        {"port": "http"},
        {"database_url": "mysql://u:hunter2@h/d"},
        {"database_url": "hunter2"},
        {"redis_url": "http://:hunter2@h"},
        {"mindsai_api_url": "embeded"},
        {"mindsai_api_url": "https://getminds.ai/api/v1"},
        {"toolsets": "personas,persona"},
        {"toolsets": ","},
        {"fetch_allow_hosts": "127.0.0.1"},
        {"fetch_allow_hosts": "*"},
        {"allowed_origins": "*"},
        {"allowed_origins": "example.com"},
        {"trusted_proxies": "*"},
        {"timeout_chat": "-1"},
        {"timeout_chat": "inf"},
        {"cache_token": "nan"},
        {"max_body_bytes": "4MiB"},
        {"debug": "perhaps"},
    ],
    ids=lambda wrong: str(wrong)[:60],
)
def test_an_impossible_value_stops_the_start_and_names_its_setting_but_no_secret(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None, **wrong)

    (line,) = settings_problems(refused.value)
    secrets = ("secret-without-a-name", "a short secret", "hunter2")
    assert line.startswith(next(iter(wrong)).upper())
    assert "\n" not in line
    assert not [secret for secret in secrets if secret in line + str(refused.value)]


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"audit_sink": "syslog"}, "AUDIT_SYSLOG_ADDRESS"),
        ({"oidc_issuer": "https://id.example.com"}, "OIDC_CLIENT_ID"),
        ({"oidc_client_id": "the-gateway"}, "OIDC_ISSUER"),
        ({"supabase_url": "https://ref.supabase.co"}, "SUPABASE_ANON_KEY"),
        ({"supabase_anon_key": "key"}, "SUPABASE_ANON_KEY"),
    ],
)
def test_half_of_a_pair_is_refused_by_the_name_of_what_is_missing(given: dict[str, Any], missing: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None, **given)

    assert settings_problems(refused.value)[0].startswith(missing)


@pytest.mark.parametrize("address", ["udp://host:514", "tcp://[::1]:601", "unix:///dev/log"])
def test_the_three_forms_of_a_syslog_address_are_taken(address: str) -> None:
    settings = Settings(_env_file=None, audit_sink="file, syslog", audit_syslog_address=address)

    assert settings.audit_sink == ("file", "syslog")


@pytest.mark.parametrize("contact", ["mailto:a@b.example", "https://b.example/report", "tel:+49-30-1"])
def test_a_contact_is_an_address_that_a_reporter_can_use(contact: str) -> None:
    assert Settings(_env_file=None, security_contact=contact).security_contact == (contact,)


def test_the_collector_is_an_address_without_a_final_slash() -> None:
    settings = Settings(_env_file=None, otel_exporter_otlp_endpoint="https://collector.example:4318/")

    assert settings.otel_exporter_otlp_endpoint == "https://collector.example:4318"


def test_a_list_is_written_with_commas_and_each_entry_is_checked_and_stands_there_once() -> None:
    lowered = TypeAdapter(Annotated[Names, each(str.lower)])

    assert TypeAdapter(Names).validate_python(" a, b ,,c ") == ("a", "b", "c")
    assert TypeAdapter(Names).validate_python(("a",)) == ("a",)
    assert lowered.validate_python("A, b, a") == ("a", "b")


def test_an_address_is_a_network_of_one() -> None:
    assert network("10.0.0.1") == "10.0.0.1/32"
    assert network("10.0.0.1/8") == "10.0.0.0/8"
    with pytest.raises(ValueError, match="proxy"):
        network("proxy")

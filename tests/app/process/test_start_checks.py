"""What must be right before a server may start."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.process.start_checks import start_problems, start_warnings
from app.settings import Settings
from tests.edge import settings_for

SITE = "https://mcp.example.com"


pytestmark = pytest.mark.usefixtures("bare_environment")


def named(workers: int = 1, **values: Any) -> list[str]:
    """The settings that are complained about."""
    settings = Settings(_env_file=None, **{"embedded_sign_in": False, **values})
    return [problem.partition(":")[0] for problem in start_problems(settings, workers)]


@pytest.mark.parametrize(("site", "starts"), [("http://127.0.0.1:8000", True), ("http://minds.example", False)])
def test_limits_are_switched_off_on_this_machine_only(tmp_path: Path, site: str, starts: bool) -> None:
    problems = start_problems(settings_for(tmp_path, site_url=site, rate_limit_enabled=False), 1)

    assert (not any(problem.startswith("RATE_LIMIT_ENABLED") for problem in problems)) == starts


@pytest.mark.security("DI-06")
@pytest.mark.parametrize(
    "site", ["http://minds.example", "http://192.168.1.5:8000", "http://localhost.evil.example", "http://[2001:db8::1]"]
)
def test_what_is_reached_over_a_network_without_tls_does_not_start(site: str) -> None:
    (problem,) = start_problems(Settings(_env_file=None, site_url=site), workers=1)

    assert problem.startswith("SITE_URL: ")
    assert "https" in problem
    assert "http://127.0.0.1" in problem


LOCAL = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("site", "values", "warned"),
    [
        (SITE, {"audit_sink": ()}, ["AUDIT_SINK"]),
        (SITE, {"trusted_proxies": ()}, ["TRUSTED_PROXIES"]),
        (LOCAL, {"trusted_proxies": ()}, []),
        (SITE, {"audit_sink": ("stdout",)}, []),
        (LOCAL, {"audit_sink": ()}, []),
        (SITE, {"allowed_origins": "https://*.ngrok-free.app"}, ["ALLOWED_ORIGINS"]),
        (SITE, {"allowed_origins": "https://a1b2.ngrok-free.app"}, []),
        (SITE, {"allowed_origins": "https://*.openai.com"}, []),
        (LOCAL, {"allowed_origins": "https://*.ngrok-free.app"}, []),
    ],
    ids=str,
)
def test_a_server_that_others_reach_is_warned_of_no_audit_log_no_proxy_and_of_any_tunnel(
    site: str, values: dict[str, Any], warned: list[str]
) -> None:
    proxied = {"site_url": site, "embedded_sign_in": False, "trusted_proxies": "10.0.0.1"}
    settings = Settings(_env_file=None, **{**proxied, **values})

    assert [warning.partition(": ")[0] for warning in start_warnings(settings)] == warned
    assert start_problems(settings, 1) == []


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, []),
        ({"toolsets": "panels"}, []),
        ({"site_url": SITE}, []),
        ({"site_url": SITE, "oidc_issuer": "https://i.example", "oidc_client_id": "g", "embedded_sign_in": None}, []),
        ({"site_url": SITE, "workers": 4, "redis_url": "rediss://cache", "metrics_token": "0123456789abcdef"}, []),
        ({"site_url": SITE, "database_url": "postgresql://ada@db/minds", "secret_key": "5f0d3b9a" * 8}, []),
        ({"site_url": SITE, "embedded_sign_in": True}, []),
        ({"site_url": SITE, "embedded_sign_in": None}, ["EMBEDDED_SIGN_IN"]),
        ({"site_url": SITE, "workers": 2}, ["REDIS_URL"]),
        ({"workers": 2}, ["REDIS_URL"]),
        ({"host": "192.0.2.1"}, ["SITE_URL"]),
        ({"host": "192.0.2.1", "site_url": SITE}, []),
        ({"host": "0.0.0.0"}, []),
        ({"site_url": "http://localhost:8000"}, []),
        ({"site_url": "http://[::1]:8000"}, []),
        ({"site_url": SITE, "mindsai_api_url": "http://127.0.0.1:9000"}, []),
        ({"site_url": SITE, "mindsai_api_url": "https://getminds.ai"}, []),
        ({"site_url": SITE, "trusted_proxies": "10.0.0.0/8"}, []),
        ({"site_url": SITE, "trusted_proxies": "10.0.0.0/8,172.16.0.0/12,fd00::/8,104.16.0.0/13,2606:4700::/32"}, []),
        ({"site_url": SITE, "allowed_origins": "https://*.openai.com"}, []),
        ({"site_url": SITE, "allowed_origins": "https://*.ngrok-free.app"}, []),
    ],
    ids=str,
)
def test_what_is_safe_may_start_and_what_is_not_is_named(values: dict[str, Any], problems: list[str]) -> None:
    assert named(**values) == problems


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", True),
        ("FETCH_ALLOW_HOSTS", "127.0.0.1:9000"),
        ("METRICS_TOKEN", "changeme"),
        ("METRICS_TOKEN", "replace-this-with-a-secret"),
        ("SECRET_KEY", "changeme" * 8),
        ("SECRET_KEY", "0" * 64),
        ("INTROSPECTION_SECRET", "your-secret-goes-here-please-do-it"),
        ("DATABASE_URL", "postgresql://ada@db/minds"),
        ("MINDSAI_API_URL", "http://api.example.com"),
        ("TRUSTED_PROXIES", "0.0.0.0/0"),
        ("TRUSTED_PROXIES", "::/0"),
        ("TRUSTED_PROXIES", "0.0.0.0/1,128.0.0.0/1"),
        ("TRUSTED_PROXIES", "2000::/3"),
        ("TRUSTED_PROXIES", ",".join(f"{first}.0.0.0/9" for first in (3, 4, 5))),
        ("ALLOWED_ORIGINS", "https://*.com"),
    ],
)
def test_what_is_for_development_stops_a_production_start_only(name: str, value: Any) -> None:
    to_be_changed = "SECRET_KEY" if name == "DATABASE_URL" else name

    assert named(site_url=SITE, **{name.lower(): value}) == [to_be_changed]
    assert named(**{name.lower(): value}) == []


LIMITS = "talk_to_ai_person=5/minute,*=100/minute,ask_panel=9/minute"
CLOSEST = "RATE_LIMIT_TOOLS: no tool is called talk_to_ai_person; the closest names are talk_to_ai"
NIGHTLY = {"client_id": "nightly", "client_secret": "hunter2", "grant_types": ["client_credentials"]}
KEYLESS = {"client_id": "ci", "jwks": {"keys": [{"kty": "EC"}]}, "grant_types": ["client_credentials"]}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"site_url": SITE, "trusted_proxies": "0.0.0.0/1,128.0.0.0/1,10.0.0.0/8"},
            "TRUSTED_PROXIES: 0.0.0.0/1, 128.0.0.0/1: .*name your proxies$",
        ),
        ({"site_url": SITE, "rate_limit_tools": LIMITS}, CLOSEST),
        ({"site_url": "http://127.0.0.1:8000", "rate_limit_tools": LIMITS}, CLOSEST),
        (
            {"toolsets": "panels", "rate_limit_tools": "zzz=5/minute"},
            ".*zzz; the tools are ask_panel, code_answer, create_group",
        ),
        ({"oauth_clients": [NIGHTLY]}, "OAUTH_CLIENTS: The configured client nightly"),
        ({"oauth_clients": [KEYLESS]}, "OAUTH_CLIENTS: The configured client ci: none of its jwks"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_work_stops_every_start_and_is_told_with_what_is_wrong(values: dict[str, Any], told: str) -> None:
    settings = Settings(_env_file=None, embedded_sign_in=False, **values)

    (problem,) = start_problems(settings, workers=1)

    assert re.match(told, problem, re.DOTALL)
    assert "hunter2" not in problem


def test_all_problems_are_told_at_once_each_in_a_line() -> None:
    settings = Settings(_env_file=None, site_url=SITE, debug=True, fetch_allow_hosts=("127.0.0.1:9000",))

    problems = start_problems(settings, workers=2)

    assert len(problems) == 4
    assert not any("\n" in problem for problem in problems)

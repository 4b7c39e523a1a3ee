"""What must be right before a server may start."""

from typing import Any

import pytest

from app.settings import Settings
from app.start_checks import start_problems

SITE = "https://mcp.example.com"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def named(workers: int = 1, **values: Any) -> list[str]:
    """The settings that are complained about."""
    settings = Settings(_env_file=None, **{"embedded_sign_in": False, **values})
    return [problem.partition(":")[0] for problem in start_problems(settings, workers)]


def test_a_fresh_machine_may_start() -> None:
    assert named() == []


def test_a_plain_production_may_start() -> None:
    assert named(site_url=SITE) == []
    assert (
        named(site_url=SITE, oidc_issuer="https://id.example.com", oidc_client_id="gateway", embedded_sign_in=None)
        == []
    )
    shared = {"redis_url": "rediss://cache", "metrics_token": "0123456789abcdef", "embedded_sign_in": True}
    assert named(site_url=SITE, workers=4, **shared) == []


def test_production_says_whether_accounts_of_its_own_sign_in() -> None:
    assert named(site_url=SITE, embedded_sign_in=None) == ["EMBEDDED_SIGN_IN"]


@pytest.mark.parametrize("site_url", [SITE, "http://127.0.0.1:8000"])
def test_several_workers_need_redis(site_url: str) -> None:
    assert named(site_url=site_url, workers=2) == ["REDIS_URL"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", True),
        ("FETCH_ALLOW_HOSTS", "127.0.0.1:9000"),
        ("METRICS_TOKEN", "changeme"),
        ("MINDSAI_API_URL", "http://api.example.com"),
        ("TRUSTED_PROXIES", "0.0.0.0/0"),
        ("TRUSTED_PROXIES", "::/0"),
        ("ALLOWED_ORIGINS", "https://*.ngrok-free.app"),
        ("ALLOWED_ORIGINS", "https://*.com"),
    ],
)
def test_what_is_for_development_stops_a_production_start_only(name: str, value: Any) -> None:
    assert named(site_url=SITE, **{name.lower(): value}) == [name]
    assert named(**{name.lower(): value}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MINDSAI_API_URL", "http://127.0.0.1:9000"),
        ("MINDSAI_API_URL", "https://getminds.ai"),
        ("TRUSTED_PROXIES", "10.0.0.0/8"),
        ("ALLOWED_ORIGINS", "https://*.openai.com"),
    ],
)
def test_what_is_safe_does_not_stop_a_production_start(name: str, value: Any) -> None:
    assert named(site_url=SITE, **{name.lower(): value}) == []


def test_all_problems_are_told_at_once_each_in_a_line() -> None:
    settings = Settings(_env_file=None, site_url=SITE, debug=True, fetch_allow_hosts=("127.0.0.1:9000",))

    problems = start_problems(settings, workers=2)

    assert len(problems) == 4
    assert not any("\n" in problem for problem in problems)


def test_a_configured_client_that_breaks_a_rule_stops_every_start_and_is_named() -> None:
    clients = [{"client_id": "nightly", "client_secret": "short", "grant_types": ["client_credentials"]}]
    settings = Settings(_env_file=None, oauth_clients=clients)

    (problem,) = start_problems(settings, workers=1)

    assert problem.startswith("OAUTH_CLIENTS: The configured client nightly")
    assert "short" not in problem.removeprefix("OAUTH_CLIENTS: The configured client nightly").replace("too short", "")


def test_a_configured_client_whose_keys_are_worthless_stops_every_start_and_is_named() -> None:
    clients = [{"client_id": "ci", "jwks": {"keys": [{"kty": "EC"}]}, "grant_types": ["client_credentials"]}]

    (problem,) = start_problems(Settings(_env_file=None, oauth_clients=clients), workers=1)

    assert problem.startswith("OAUTH_CLIENTS: The configured client ci: none of its jwks")

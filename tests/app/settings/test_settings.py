"""The settings of the HTTP process."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from app.http.origin_policy import OriginRules
from app.settings import Settings

pytestmark = pytest.mark.usefixtures("bare_environment")


def test_every_setting_has_a_default_and_one_line_that_says_what_it_is() -> None:
    for name, field in Settings.model_fields.items():
        assert not field.is_required(), name
        assert field.description, name
        assert field.description.endswith("."), name
        assert "\n" not in field.description, name


def test_a_fresh_machine_serves_itself_on_loopback() -> None:
    settings = Settings()

    assert settings.site_url == "http://127.0.0.1:8000"
    assert settings.resource == "http://127.0.0.1:8000/mcp"
    assert settings.is_embedded
    assert not settings.is_production
    assert settings.database.render_as_string() == "sqlite+aiosqlite:///var/gateway.sqlite3"


@pytest.mark.parametrize(
    ("host", "port", "url"),
    [
        ("127.0.0.1", "9000", "http://127.0.0.1:9000"),
        ("localhost", "8000", "http://localhost:8000"),
        ("::1", "8000", "http://[::1]:8000"),
        ("0.0.0.0", "8000", "http://127.0.0.1:8000"),
        ("::", "8000", "http://[::1]:8000"),
        ("10.0.0.5", "8000", "http://10.0.0.5:8000"),
    ],
)
@pytest.mark.requirement("seed:gateway:env-site-url")
def test_the_site_is_where_the_process_listens_unless_told(
    monkeypatch: pytest.MonkeyPatch, host: str, port: str, url: str
) -> None:
    monkeypatch.setenv("HOST", host)
    monkeypatch.setenv("PORT", port)

    settings = Settings()

    assert (settings.site_url, settings.own_url) == (url, url)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("https://mcp.example.com", "https://mcp.example.com"),
        ("https://MCP.example.com/", "https://mcp.example.com"),
        ("https://mcp.example.com:443", "https://mcp.example.com"),
    ],
)
def test_the_site_has_one_spelling(monkeypatch: pytest.MonkeyPatch, written: str, url: str) -> None:
    monkeypatch.setenv("SITE_URL", written)

    settings = Settings()

    assert (settings.site_url, settings.resource) == (url, f"{url}/mcp")
    assert settings.is_production


def test_a_dotenv_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=9100\nDATA_DIR=data\nOTHER_PROGRAM=1\n")
    monkeypatch.setenv("PORT", "9200")

    settings = Settings()

    assert (settings.port, settings.data_dir) == (9200, Path("data"))


def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SITE_URL", "REDIS_URL", "DATABASE_URL", "TOOLSETS", "DEBUG", "METRICS_TOKEN"):
        monkeypatch.setenv(name, "")

    assert Settings() == Settings(_env_file=None)
    assert Settings().redis_url is None


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FETCH_ALLOW_HOSTS", "127.0.0.1:9000, LocalHost:9001,,127.0.0.1:9000")
    monkeypatch.setenv("ALLOWED_ORIGINS", "https://Example.com/,https://*.example.org")
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.1,192.168.0.7/16,fd00::/8")
    monkeypatch.setenv("TOOLSETS", "personas")

    settings = Settings()

    assert settings.fetch_allow_hosts == ("127.0.0.1:9000", "localhost:9001")
    assert settings.allowed_origins == ("https://example.com", "https://*.example.org")
    assert settings.trusted_proxies == ("10.0.0.1/32", "192.168.0.0/16", "fd00::/8")
    assert settings.toolsets == ("personas",)


@pytest.mark.requirement("seed:gateway:cors-development")
def test_front_end_development_may_call_unless_this_is_production(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "http://localhost:5173" in Settings().cors_origins
    assert "http://localhost:6274" in Settings().cors_origins  # MCP Inspector
    assert "https://claude.ai" in Settings().cors_origins

    monkeypatch.setenv("SITE_URL", "https://mcp.example.com")

    assert Settings().cors_origins == Settings().allowed_origins


def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ada:hunter2@db/gateway")
    monkeypatch.setenv("REDIS_URL", "rediss://:hunter2@cache")
    monkeypatch.setenv("METRICS_TOKEN", "hunter2")

    settings = Settings()

    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump()} {settings.database}"
    assert settings.redis_url == SecretStr("rediss://:hunter2@cache")
    assert settings.database.password == "hunter2"
    assert settings.database.drivername == "postgresql+psycopg"


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]  # the forbidden thing is what is tried


@pytest.mark.requirement(
    "seed:gateway:cors-openai", "seed:gateway:cors-claude", "seed:gateway:cors-getminds", "seed:gateway:cors-patterns"
)
@pytest.mark.parametrize(
    "origin",
    [
        "https://chat.openai.com",
        "https://chatgpt.com",
        "https://claude.ai",
        "https://getminds.ai",
        "https://staging.getminds.ai",
        "https://platform.openai.com",
    ],
)
def test_the_published_origins_may_call_in_production_too(origin: str) -> None:
    settings = Settings(site_url="https://gateway.example")

    assert OriginRules(settings.site_url, settings.own_url, settings.cors_origins).may_call(origin)


@pytest.mark.security("RS-29")
def test_the_addresses_of_the_api_and_of_the_account_page_come_from_the_settings() -> None:
    settings = Settings(_env_file=None, site_url="https://mcp.example.com", port=9123)
    real = Settings(_env_file=None, mindsai_api_url="https://getminds.ai")

    assert (settings.real_api, settings.own_url) == (None, "http://127.0.0.1:9123")
    assert real.real_api == "https://getminds.ai"
    assert settings.account_url == "https://mcp.example.com/account"

"""The image as far as it can be seen without a container engine: what is copied, who runs it, and what it may do."""

import subprocess

import pytest

from app.__main__ import COMMANDS
from tests.deploy.image import DOCKERFILE, ROOT, Step, is_sent, stages, steps
from tests.test_locks import registries

TEXT = DOCKERFILE.read_text(encoding="utf-8")
IGNORE = (ROOT / ".dockerignore").read_text(encoding="utf-8")


def of_stage(number: int, keyword: str) -> list[Step]:
    return [step for step in stages(TEXT)[number] if step.keyword == keyword]


def test_there_are_two_stages_on_the_same_base_and_the_last_takes_only_the_environment_of_the_first() -> None:
    build, final = stages(TEXT)

    assert build[0].words[0] == final[0].words[0]
    assert [(step.flags["from"], step.words) for step in of_stage(1, "COPY")] == [("build", ["/opt/gateway"] * 2)]


def test_whatever_is_copied_is_there_and_reaches_the_builder() -> None:
    sources = [source for step in of_stage(0, "COPY") for source in step.words[:-1]]
    tracked = subprocess.run(["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True)

    assert {"app", "mcp_server", "oauth", "pyproject.toml"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [path for path in tracked.stdout.split() if not is_sent(path, IGNORE)] == []


@pytest.mark.parametrize(
    "path",
    [".env", "app/.env", "deploy/.env", "var/gateway.sqlite3", "app/x.sqlite3-wal", ".git/config",
     "app/__pycache__/a.pyc", "tests/conftest.py", "requirements/test.txt", ".venv/bin/python"],
)  # fmt: skip
def test_secrets_data_and_tests_do_not_reach_the_builder(path: str) -> None:
    assert not is_sent(path, IGNORE)


def test_what_is_installed_is_checked_against_its_hashes_and_no_registry_is_named() -> None:
    installs = [step.rest for step in steps(TEXT) if "pip install" in step.rest]

    assert len(installs) == 2
    assert "--require-hashes --no-deps -r requirements/runtime.txt" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]
    assert registries(TEXT) == []


def test_the_last_stage_has_no_installer_and_runs_as_nobody_in_particular() -> None:
    runs = " ".join(step.rest for step in of_stage(1, "RUN"))
    (user,) = of_stage(1, "USER")

    assert "pip uninstall --yes hatchling editables pip" in " ".join(step.rest for step in of_stage(0, "RUN"))
    assert "pip uninstall --yes" in runs
    assert "install " not in runs.replace("install -d", "").replace("uninstall", "")
    assert user.rest == "10001:10001"


def test_it_writes_to_its_volume_only_and_ends_when_told_to() -> None:
    environment = dict(pair.split("=", 1) for step in of_stage(1, "ENV") for pair in step.words)
    (volume,), (stop,) = of_stage(1, "VOLUME"), of_stage(1, "STOPSIGNAL")

    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    assert (environment["DATA_DIR"], volume.rest, stop.rest) == ("/data", "/data", "SIGTERM")


def test_it_starts_a_command_that_there_is_and_asks_for_its_health_without_a_shell() -> None:
    (entry,), (command,), (health,) = (of_stage(1, word) for word in ("ENTRYPOINT", "CMD", "HEALTHCHECK"))

    assert entry.words == ["python", "-m", "app"]
    assert command.words[0] in COMMANDS
    assert 'CMD ["python", "-c"' in health.rest
    assert "/livez" in health.rest
    assert DOCKERFILE.relative_to(ROOT).as_posix() in (ROOT / "docs/deploy.md").read_text(encoding="utf-8")

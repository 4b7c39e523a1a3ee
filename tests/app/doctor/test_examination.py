"""Whole examinations of other people's gateways, each with the fault that it has."""

import asyncio

import pytest

from app.doctor.examination import DoctorOptions, Report, examine
from app.doctor.profiles import NAMES, PROFILES
from tests.app.doctor.conftest import say_yes
from tests.app.doctor.examples import profile
from tests.processes import free_port

SECONDS = 20.0
EVERYBODY = set(NAMES)
REGISTERING_ON_LOOPBACK = {"cursor", "vscode", "gemini-cli", "mcp-remote", "inspector", "python-sdk"}


async def examined(url: str, *, seconds: float = SECONDS, **options: object) -> Report:
    return await examine(DoctorOptions(url, PROFILES, seconds, **options), lambda _: None)  # type: ignore[arg-type]  # by name


def failures(report: Report) -> dict[str, set[str]]:
    """Clients that cannot connect, by the step that fails."""
    found: dict[str, set[str]] = {}
    for client in report.clients:
        for finding in client.findings:
            if finding.status == "failed":
                found.setdefault(finding.step, set()).add(client.name)
                assert finding.change.endswith(".")
    return found


@pytest.mark.parametrize(
    ("fault", "step", "clients"),
    [
        ("private-server", "authorization_servers", EVERYBODY),
        ("no-cors", "CORS", {"inspector"}),
        ("strict-origin", "Origin", {"claude"}),
        ("no-loopback", "registration", REGISTERING_ON_LOOPBACK),
        ("elsewhere", "POST /mcp", EVERYBODY),
        ("foreign-redirect", "resource metadata", EVERYBODY),
        ("private-keys", "server fields", EVERYBODY),
        ("no-sign-in", "authorize", EVERYBODY),
        ("no-fetch", "authorize", {"chatgpt", "codex", "claude", "claude-code"}),
    ],
)
async def test_each_known_fault_is_found_at_its_step(gateways: str, fault: str, step: str, clients: set[str]) -> None:
    found = failures(await examined(f"{gateways}/{fault}/mcp"))

    assert found[step] == clients


@pytest.mark.slow
async def test_silence_is_a_finding_like_any_other(gateways: str) -> None:
    found = failures(await examined(f"{gateways}/slow/mcp", seconds=1.5))

    assert found["resource metadata"] >= {"chatgpt", "claude"}


async def test_a_gateway_that_is_open_or_is_given_a_key_lets_everybody_in(gateways: str) -> None:
    for fault, key in (("healthy", "key-of-healthy"), ("open", "")):
        report = await examined(f"{gateways}/{fault}/mcp", key=key)
        assert failures(report) == {}
        assert {(client.findings[-1].step, client.findings[-1].status) for client in report.clients} == {
            ("tools/call", "ok")
        }


async def test_a_wrong_key_fails_the_calls_and_is_never_shown(gateways: str) -> None:
    report = await examined(f"{gateways}/healthy/mcp", key="s3cret-key")

    assert failures(report) == {"tools/list": EVERYBODY}
    assert "s3cret-key" not in repr(report)


async def test_a_token_that_the_server_repeats_as_its_error_is_never_shown(gateways: str) -> None:
    browsing: list[asyncio.Task[None]] = []
    addresses: list[str] = []

    def browse(address: str) -> None:
        addresses.append(address)
        browsing.append(asyncio.create_task(asyncio.to_thread(say_yes, address)))

    report = await examine(
        DoctorOptions(f"{gateways}/echo/mcp", (profile("cursor"),), SECONDS, login=True, login_seconds=60), browse
    )

    await asyncio.gather(*browsing)
    assert len(addresses) == 1
    assert "access-" not in repr(report)
    assert {finding.step for finding in report.clients[0].findings} >= {"token", "refresh", "revoke"}


async def test_nobody_at_home_fails_everybody_quickly() -> None:
    report = await examined(f"http://127.0.0.1:{free_port()}/mcp")

    assert failures(report) == {"reach": EVERYBODY}

"""Whole examinations of other people's gateways, each with the fault that it has."""

import asyncio

import pytest

from app.doctor.examination import DoctorOptions, Report, examine
from app.doctor.profiles import NAMES, chosen
from tests.app.doctor.conftest import say_yes
from tests.processes import free_port

SECONDS = 20.0
EVERYBODY = set(NAMES)
REGISTERING_ON_LOOPBACK = {"cursor", "vscode", "gemini-cli", "mcp-remote", "inspector", "python-sdk"}


async def examined(url: str, *, seconds: float = SECONDS, **options: object) -> Report:
    return await examine(DoctorOptions(url, chosen(()), seconds, **options), lambda _: None)  # type: ignore[arg-type]  # by name


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
        ("slash-issuer", "server metadata", EVERYBODY),
        ("no-s256", "server fields", EVERYBODY),
        ("no-documents", "server fields", {"chatgpt"}),
        ("no-challenge", "challenge", {"claude", "vscode"}),
        ("other-resource", "resource metadata", EVERYBODY),
        ("private-server", "authorization_servers", EVERYBODY),
        ("no-cors", "CORS", {"inspector"}),
        ("strict-origin", "Origin", {"claude"}),
        ("no-loopback", "registration", REGISTERING_ON_LOOPBACK),
        ("html-errors", "POST /mcp", EVERYBODY),
        ("elsewhere", "POST /mcp", EVERYBODY),
        ("foreign-redirect", "resource metadata", EVERYBODY),
        ("open-redirect", "authorize, bad requests", EVERYBODY),
        ("private-keys", "keys", EVERYBODY),
        ("no-sign-in", "authorize", EVERYBODY),
        ("no-fetch", "authorize", {"chatgpt", "codex", "claude", "claude-code"}),
        ("endless", "server metadata", EVERYBODY),
    ],
)
async def test_each_known_fault_is_found_at_its_step(gateways: str, fault: str, step: str, clients: set[str]) -> None:
    found = failures(await examined(f"{gateways}/{fault}/mcp"))

    assert found[step] == clients


async def test_a_page_from_an_origin_that_is_not_listed_is_one_finding_and_a_fault_only_where_it_is_asked_for(
    gateways: str,
) -> None:
    url = f"{gateways}/strict-origin/mcp"

    among_all = next(client for client in (await examined(url)).clients if client.name == "inspector")
    alone = (await examine(DoctorOptions(url, chosen(("inspector",)), SECONDS), lambda _: None)).clients[0]

    assert (among_all.connects, alone.connects) == (None, False)
    for client, status in ((among_all, "advice"), (alone, "failed")):
        (finding,) = [one for one in client.findings if "http://localhost:6274" in one.change]
        assert (finding.step, finding.status) == ("Origin", status)
        assert "ALLOWED_ORIGINS" in finding.change
        assert [one.change for one in client.findings if one.step == "CORS"] == [""]


@pytest.mark.parametrize(("fault", "step"), [("slow", "resource metadata"), ("trickle", "server metadata")])
async def test_silence_is_a_finding_like_any_other(gateways: str, fault: str, step: str) -> None:
    found = failures(await examined(f"{gateways}/{fault}/mcp", seconds=1.5))

    assert found[step] >= {"chatgpt", "claude"}


async def test_a_healthy_gateway_lets_everybody_in(gateways: str) -> None:
    report = await examined(f"{gateways}/healthy/mcp", key="key-of-healthy")

    assert failures(report) == {}
    assert all(client.findings[-1].status == "ok" for client in report.clients)


async def test_an_open_gateway_is_called_without_a_credential(gateways: str) -> None:
    report = await examined(f"{gateways}/open/mcp")

    assert failures(report) == {}
    assert all(client.findings[-1].step == "tools/call" for client in report.clients)
    assert all(client.findings[-1].status == "ok" for client in report.clients)


async def test_a_wrong_key_fails_the_calls_and_is_never_shown(gateways: str) -> None:
    report = await examined(f"{gateways}/legacy-only/mcp", key="s3cret-key")

    assert failures(report) == {"tools/list": EVERYBODY}
    assert "s3cret-key" not in repr(report)


async def test_a_token_that_the_server_repeats_as_its_error_is_never_shown(gateways: str) -> None:
    browsing: list[asyncio.Task[None]] = []
    addresses: list[str] = []

    def browse(address: str) -> None:
        addresses.append(address)
        browsing.append(asyncio.create_task(asyncio.to_thread(say_yes, address)))

    report = await examine(
        DoctorOptions(f"{gateways}/echo/mcp", chosen(("cursor",)), SECONDS, login=True, login_seconds=60), browse
    )

    await asyncio.gather(*browsing)
    assert len(addresses) == 1
    assert "access-" not in repr(report)
    assert {finding.step for finding in report.clients[0].findings} >= {"token", "refresh", "revoke"}


async def test_nobody_at_home_fails_everybody_quickly() -> None:
    report = await examined(f"http://127.0.0.1:{free_port()}/mcp")

    assert failures(report) == {"reach": EVERYBODY}

"""The HTTP process as an operator meets it: what it says, what it writes, and how it ends."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import httpx2
import orjson
import psutil
import pytest
from click.testing import CliRunner

from app.__main__ import root
from app.commands.serve import WRITING_SECONDS, end_seconds, http_options, welcome
from app.process.server import Config
from app.settings import Settings
from tests.edge import PATIENCE, make_keys, request, settings_for
from tests.processes import Process, environment, free_port, serving

SERVE = ("-m", "app", "serve")


def test_the_welcome_says_where_how_and_what_next() -> None:
    settings = settings_for(Path("var"))

    new, known = welcome(settings, is_new=True), welcome(settings, is_new=False)

    assert "http://127.0.0.1:8000/mcp" in new
    assert "users create" in new
    assert "users create" not in known
    assert "mcp_server.stdio" in known
    assert "http://127.0.0.1:8000/connect" in known
    assert "users create" not in welcome(settings_for(Path("var"), embedded_sign_in=False), is_new=True)
    assert "Language model" not in known
    assert "Language model:     phi of Ollama" in welcome(settings, is_new=False, model="phi of Ollama")


def test_whose_word_counts_for_an_address_is_not_left_to_the_server() -> None:
    assert http_options(Settings())["proxy_headers"] is False


@pytest.mark.security("AK-07", "HD-06")
async def test_it_serves_writes_lines_without_credentials_counts_in_memory_and_ends_when_told(tmp_path: Path) -> None:
    port, counts = free_port(), tmp_path / "metrics"
    key, _ = await make_keys(settings_for(tmp_path))
    url = f"http://127.0.0.1:{port}"
    headers, body = request("tools/call", {"name": "list_my_ai_personas", "arguments": {}}, key=key)
    settings = {"DATA_DIR": str(tmp_path), "DEBUG": "false", "PROMETHEUS_MULTIPROC_DIR": str(counts)}

    with serving((*SERVE, "--port", str(port)), port, tmp_path, settings, fresh=True) as process:
        async with httpx2.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            called = await client.post("/mcp", headers={**headers, "x-request-id": "find-me"}, json=body)
            await client.get(f"/mcp/{key}?key={key}", headers={"cookie": f"a={key}", "x-request-id": key})
            await client.post("/mcp", headers={**headers, "mcp-method": key}, json={**body, "method": key})
            await client.post("/mcp", headers=headers, json={**body, "params": {"name": key}})
            metrics = (await client.get("/metrics")).text
        await ended_by(signal.SIGTERM, process, port)

    lines = (tmp_path / f"server-{port}.log").read_text().splitlines()
    events = [orjson.loads(line) for line in lines if line.startswith("{")]
    assert called.json()["result"]["isError"] is False
    assert key not in "".join(lines)
    assert {event["event"] for event in events if event.get("request_id") == "find-me"} == {"request", "tool_success"}
    assert sample(metrics, "gateway_workers") == 1
    assert not counts.exists()  # for one worker alone the setting means nothing


@pytest.mark.parametrize(
    ("settings", "arguments", "named"),
    [
        ({"PORT": "many"}, (), "PORT"),
        ({"SITE_URL": "https://mcp.example.com", "DEBUG": "true"}, (), "DEBUG"),
        ({"ALLOWED_ORIGINS": "*"}, (), "ALLOWED_ORIGINS"),
        ({}, ("--workers", "2"), "REDIS_URL"),
        ({}, ("--port", "{taken}"), "in use"),
    ],
)
def test_a_start_that_would_not_be_safe_is_one_line_and_exit_code_2(
    tmp_path: Path, settings: dict[str, str], arguments: tuple[str, ...], named: str
) -> None:
    variables = environment(DATA_DIR=str(tmp_path), **settings)
    with socket.create_server(("127.0.0.1", 0)) as other, patch.dict(os.environ, variables, clear=True):
        taken = other.getsockname()[1]
        ended = CliRunner().invoke(root(), ["serve", *(each.format(taken=taken) for each in arguments)])

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert named in ended.stderr


async def test_two_workers_log_alike_count_together_and_a_dead_one_loses_its_gauges_only(tmp_path: Path) -> None:
    port, calls = free_port(), 60
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "counter_1.db").write_bytes(b"of an earlier run, and broken")
    settings = {
        "DATA_DIR": str(tmp_path),
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
    }

    with serving((*SERVE, "--port", str(port), "--workers", "2"), port, tmp_path, settings) as supervisor:
        for _ in range(calls):  # each on a connection of its own, so that both workers have some
            httpx2.post(f"http://127.0.0.1:{port}/mcp", timeout=PATIENCE)
        counted = await scraped(port, lambda text: sample(text, "gateway_workers") == 2)
        victim = int(next(folder.glob("gauge_livesum_*.db")).stem.rpartition("_")[2])
        psutil.Process(victim).kill()
        # Until the third one counts itself the gauges of the dead one may still be there.
        after = await scraped(
            port, lambda text: sample(text, "gateway_worker_starts_total") == 3 and sample(text, "gateway_workers") == 2
        )
        assert victim in {int(file.stem.rpartition("_")[2]) for file in folder.glob("counter_*.db")}
        assert supervisor.poll() is None

    lines = (tmp_path / f"server-{port}.log").read_text().splitlines()
    assert len([line for line in lines if line.startswith("{") and '"status":415' in line]) == calls
    series = 'http_requests_total{area="mcp",method="POST",status="415"}'
    assert sample(counted, series) == calls
    assert sample(after, series) == calls
    assert sample(counted, "gateway_worker_starts_total") == 2
    assert (sample(counted, "gateway_worker_losses_total"), sample(after, "gateway_worker_losses_total")) == (0, 1)
    assert len({file.name for file in folder.glob("counter_*.db")}) == 3


async def scraped(port: int, is_so: Callable[[str], bool]) -> str:
    """The metrics, as soon as they are so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(httpx2.TransportError):  # the connection may have been that of the dead
                text = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE).text
                if is_so(text):
                    return text
            await asyncio.sleep(0.1)


def sample(text: str, series: str) -> float | None:
    found = [line for line in text.splitlines() if line.startswith(series + " ")]
    return float(found[0].rpartition(" ")[2]) if found else None


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGHUP])
async def test_it_ends_by_other_signals_too(tmp_path: Path, by: signal.Signals) -> None:
    port = free_port()

    with serving((*SERVE, "--port", str(port)), port, tmp_path, {"DATA_DIR": str(tmp_path)}) as process:
        await ended_by(by, process, port)


async def ended_by(by: signal.Signals, process: Process, port: int) -> None:
    """Told by the signal, the process ends well and leaves its port."""
    process.send_signal(by)
    code = await asyncio.to_thread(process.wait, PATIENCE)
    assert code in {0, 1, 130} if by == signal.SIGINT else code == 0
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_a_worker_that_ends_may_take_what_its_steps_may_take_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERNAL_API_PANEL_DRAIN_SECONDS", "400")
    settings = settings_for(tmp_path, shutdown_notice_seconds=10, shutdown_seconds=2000)

    most = end_seconds(settings, Config("app", timeout_keep_alive=5))

    assert most == 10 + 5 + 2000 + 400 + WRITING_SECONDS


@pytest.mark.slow
def test_the_start_says_that_no_language_model_was_found_where_one_was_looked_for(tmp_path: Path) -> None:
    port = free_port()
    given = {"PORT": str(port), "LLM_DISCOVER": "true", "LLM_MODEL": "no-such-model-anywhere"}

    with serving(SERVE, port, tmp_path, given):
        said = (tmp_path / f"server-{port}.log").read_text()

    assert said.count("Language model:     none found on this machine") == 1

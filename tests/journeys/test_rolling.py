"""Two real workers are replaced and ended under load: no call is lost, and each that was answered is in the log."""

import asyncio
import json
import signal
from pathlib import Path

import httpx2
import pytest

from tests.askers import Askers
from tests.edge import MODERN, request
from tests.journeys.clients import PATIENCE
from tests.journeys.host import Host, key_for, new_host, started

PAUSE = 0.2


async def until_workers(host: Host, living: int, begun: int) -> None:
    """So many that serve, after so many that began to."""
    lines = {f"gateway_workers {living}.0", f"gateway_worker_starts_total {begun}.0"}
    async with asyncio.timeout(PATIENCE), httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        while True:
            if lines <= set((await web.get(f"{host.origin}/metrics")).text.splitlines()):
                return
            await asyncio.sleep(PAUSE)


@pytest.mark.security("FI-11")
async def test_workers_that_are_replaced_and_then_ended_under_load_lose_no_call_and_no_audit_row(
    tmp_path: Path,
) -> None:
    away = "redis://127.0.0.1:1/0"  # each counts alone then
    host = new_host(tmp_path, REDIS_URL=away, SHUTDOWN_NOTICE_SECONDS="1", AUDIT_SINK="file")
    key = await key_for(host)
    headers, body = request(
        "tools/call", {"name": "list_my_ai_personas", "arguments": {}}, era=MODERN, identity="same", key=key
    )
    askers = Askers(host.port, "/mcp", headers, json.dumps(body))

    async with started(host, "--workers", "2") as server:
        await until_workers(host, 2, 2)
        async with askers.asking(2, 2):
            await askers.answered(20)
            server.send_signal(signal.SIGHUP)
            await until_workers(host, 2, 4)
            await askers.answered(20)
            metrics = httpx2.get(f"{host.origin}/metrics", timeout=PATIENCE).text
            server.send_signal(signal.SIGTERM)
            code = await asyncio.to_thread(server.wait, PATIENCE)

    rows = "".join(file.read_text() for file in (tmp_path / "var" / "audit").rglob("*.jsonl"))
    assert (askers.lost, code) == ([], 0)
    assert "gateway_worker_losses_total 0.0" in metrics
    assert rows.count('"toolSuccess"') == askers.answers.total()

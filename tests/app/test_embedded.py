"""The embedded API inside the gateway's own process: whose it is, and which links it takes at all."""

from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from app.embedded import link_check
from app.internal_api.knowledge.documents import SourceRefused
from mcp_server.upstream.addresses import parse_hosts
from tests.edge import SITE, Edge, make_keys, running, settings_for


def api(edge: Edge, key: str | None) -> httpx2.AsyncClient:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(edge.app), base_url=f"{SITE}/api/v1", headers=headers)


async def test_it_is_served_beside_the_gateway_to_whoever_has_a_key(edge: Edge) -> None:
    async with api(edge, edge.key) as known, api(edge, None) as unknown, api(edge, "minds_" + "0" * 48) as wrong:
        me = await known.get("/auth/me")

        assert me.status_code == 200
        assert len(me.json()["id"]) == 36
        assert (await unknown.get("/auth/me")).status_code == 401
        assert (await wrong.get("/auth/me")).status_code == 401


async def test_it_is_not_there_when_the_real_api_is_used(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path, mindsai_api_url="https://getminds.example")) as edge,
        api(edge, edge.key) as client,
    ):
        response = await client.get("/auth/me")

    assert response.status_code == 404


async def test_a_persona_is_not_begun_for_a_link_that_is_never_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERNAL_API_RUN_WORKER", "false")
    settings = settings_for(tmp_path)
    key, _ = await make_keys(settings, ("sparks:read", "sparks:write"))
    links = ["http://127.0.0.1/a", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://localhost/"]
    links += ["http://10.0.0.1/", "file:///etc/passwd", "https://user:pass@example.com/", "https://93.184.216.34/page"]

    async with running(settings) as edge, api(edge, key) as client:
        wish = {"name": "Ada", "discipline": "Mathematics", "mode": "link"}
        created = [(await client.post("/minds", json={**wish, "contextLink": link})).status_code for link in links]
        minds = (await client.get("/minds")).json()["data"]

    assert created == [*[400] * 7, 201]
    assert len(minds) == 1


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["93.184.216.34", "127.0.0.1"]])
async def test_a_name_that_leads_inside_is_refused(addresses: Sequence[str]) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    with pytest.raises(SourceRefused) as refused:
        await link_check(parse_hosts(""), resolve)("https://inside.example/")

    assert refused.value.code == "private_address"
    await link_check(parse_hosts("inside.example:443"), resolve)("https://inside.example/")


async def test_a_name_that_is_not_found_now_is_left_to_the_fetch() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise OSError

    await link_check(parse_hosts(""), resolve)("https://later.example/")

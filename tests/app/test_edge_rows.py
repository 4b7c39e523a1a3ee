"""Rows of the security matrix that only the whole gateway shows: settings, a proxy's requests, bombs, a soak."""

import statistics
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from app.__main__ import root
from app.http.origin_policy import OriginRules
from app.settings import Settings
from tests.edge import ERAS, Edge, make_keys, running, settings_for
from tests.fuzz.sizes import examples
from tests.socket_client import Wire, statuses
from tests.support import ALL_SCOPES

OWN = "https://front.example.com"


@pytest.mark.security("OR-03")
@pytest.mark.parametrize(
    "written", [f"{OWN}/", "https://FRONT.example.com", f"{OWN}:443", "HTTPS://Front.Example.com:443/", f" {OWN} "]
)
async def test_an_origin_is_allowed_however_the_setting_spells_it(tmp_path: Path, written: str) -> None:
    async with running(settings_for(tmp_path, allowed_origins=written)) as edge:
        answer = await edge.rpc("tools/list", headers={"origin": OWN})
        neighbour = await edge.rpc("tools/list", headers={"origin": f"{OWN}:8443"})

    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, OWN)
    assert neighbour.status_code == 403


@pytest.mark.security("OR-04")
@pytest.mark.parametrize("written", ["*", "https://chatgpt.com,*", "https://*"])
def test_a_server_that_would_let_everybody_call_does_not_start_and_names_the_setting(
    tmp_path: Path, written: str
) -> None:
    ended = CliRunner(env={"ALLOWED_ORIGINS": written, "DATA_DIR": str(tmp_path)}).invoke(root(), ["serve"])

    assert ended.exit_code == 2
    assert "ALLOWED_ORIGINS" in ended.stderr


@pytest.mark.security("OR-02")
def test_a_tunnels_pattern_is_anchored_and_never_there_by_itself() -> None:
    default = OriginRules.of(Settings(_env_file=None))
    named = OriginRules.of(Settings(_env_file=None, allowed_origins="https://*.ngrok-free.app"))

    assert not default.may_call("https://a.ngrok-free.app")
    assert named.may_call("https://a.ngrok-free.app")
    assert not named.may_call("https://a.ngrok-free.app.evil.example")
    assert not named.may_call("https://ngrok-free.app")
    assert not named.may_call("http://a.ngrok-free.app")


@pytest.mark.security("OR-13")
@pytest.mark.parametrize(
    "headers",
    [
        ["X-Note: a\r\nHost: evil.example"],
        ["X-Note: a\r\nTransfer-Encoding: chunked"],
        ["X-Note: a\nHost: evil.example"],
        ["X-Note: a\r\n\tfolded"],
        ["X-Note\r\n: a"],
        [":authority: evil.example"],
        ["Host: evil.example"],
        ["X Note: a"],
        ["X-Note: a\0b"],
    ],
)
async def test_what_a_proxy_makes_of_a_hostile_http2_request_is_refused_once(server: Wire, headers: list[str]) -> None:
    answer = await server.exchange(server.post(*headers).replace(b"Connection: close\r\n", b""))

    assert statuses(answer) == [b"400"]


@pytest.mark.security("RE-12")
async def test_many_small_headers_are_refused_too(server: Wire) -> None:
    assert statuses(await server.exchange(server.post(*(f"X-{number}: a" for number in range(100))))) == [b"200"]
    assert statuses(await server.exchange(server.post(*(f"X-{number}: a" for number in range(200))))) == [b"400"]


@pytest.mark.security("HD-01")
@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/mcp", {"host": "evil.example"}, 421),
        ("POST", "/mcp", {"content-type": "application/json"}, 400),
        ("GET", "/mcp%0a", {}, 400),
        ("POST", "/mcp", {"origin": "https://evil.example"}, 403),
        ("GET", "/nope", {}, 404),
        ("POST", "/oauth/token", {}, 400),
        ("GET", "/oauth/authorize", {}, 400),
        ("GET", "/account", {}, 303),
    ],
)
async def test_behind_tls_every_refusal_says_to_stay_there(
    tmp_path: Path, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async with running(settings_for(tmp_path, site_url="https://mcp.example.com")) as edge:
        answer = await edge.client.request(method, path, headers=headers)

    assert answer.status_code == status
    assert "max-age=" in answer.headers["strict-transport-security"]
    assert answer.headers["x-frame-options"] == "DENY"


LONG = 60_000


@pytest.mark.security("RE-08")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accept", "a/b;q=0" + " " * LONG),
        ("x-forwarded-for", "1.1.1.1," * (LONG // 8)),
        ("range", "bytes=" + "0-1," * (LONG // 4)),
        ("cookie", "a=b;" * (LONG // 4)),
        ("cookie", '"' + "\\" * LONG),
        ("authorization", "Bearer " + "a" * LONG),
        ("content-type", "application/json;" + ";" * LONG),
        ("content-type", "multipart/form-data; boundary=" + '"' * LONG),
        ("origin", "https://" + "a." * (LONG // 2) + "openai.com!"),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/oauth/authorize", "/api/v1/minds"])
async def test_a_long_header_costs_no_time(edge: Edge, name: str, value: str, path: str) -> None:
    began = time.perf_counter()

    answer = await edge.client.post(path, headers={"content-type": "application/json", name: value}, content=b"{}")

    assert answer.status_code < 500
    assert time.perf_counter() - began < 1


@pytest.fixture(scope="module")
async def keyed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Edge, str, str]]:
    settings = settings_for(tmp_path_factory.mktemp("bombs"))
    key, _ = await make_keys(settings, ALL_SCOPES)
    async with running(settings) as edge:
        wish = {"name": "Ada", "discipline": "Tea", "mode": "keywords", "keywords": ["oolong"]}
        made = await edge.client.post("/api/v1/minds", headers={"authorization": f"Bearer {key}"}, json=wish)
        yield edge, key, made.json()["data"]["id"]


def many_headers(count: int) -> bytes:
    return b"--a\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(count)) + b"\r\nz\r\n--a--\r\n"


def many_parts(count: int) -> bytes:
    return b'--a\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n' * count + b"--a--\r\n"


@pytest.mark.security("RE-11")
@pytest.mark.parametrize(
    "bomb",
    [many_headers(60_000), many_parts(5_000), b"--a\r\nX: " + b"y" * 2_000_000, b"\r\n--a" * 500_000],
    ids=["60000 headers", "5000 parts", "one long header", "500000 false edges"],
)
@pytest.mark.parametrize(
    "path", ["/api/v1/minds/{id}/knowledge", "/api/v1/minds", "/oauth/token",
             "/oauth/login", "/oauth/consent", "/oauth/device", "/oauth/register", "/account/keys", "/mcp"],
)  # fmt: skip
async def test_a_bomb_of_parts_and_headers_is_refused_at_once(
    keyed: tuple[Edge, str, str], path: str, bomb: bytes
) -> None:
    edge, key, mind = keyed
    headers = {"authorization": f"Bearer {key}", "content-type": "multipart/form-data; boundary=a"}
    began = time.perf_counter()

    answer = await edge.client.post(path.format(id=mind), headers=headers, content=bomb)

    assert 400 <= answer.status_code < 500
    assert time.perf_counter() - began < 2


async def mixed(edge: Edge, key: str, number: int) -> int:
    """One of the things that clients do, right and wrong."""
    ways: list[Any] = [
        lambda: edge.rpc("tools/list", era=ERAS[number % 2]),
        lambda: edge.call("say", {"text": str(number)}, era=ERAS[number % 2], key=key),
        lambda: edge.call("count", era=ERAS[number % 2], token=number),
        lambda: edge.post(b"{"),
        lambda: edge.call("private", key=f"minds_{number:048x}"),
        lambda: edge.client.get(f"/nope/{number}"),
        lambda: edge.client.post("/oauth/token", data={"grant_type": "authorization_code", "code": str(number)}),
        lambda: edge.client.get(f"/oauth/authorize?state={number}"),
        lambda: edge.client.get("/api/v1/auth/me", headers={"authorization": f"Bearer {key}"}),
        lambda: edge.client.get("/.well-known/oauth-protected-resource", headers={"x-request-id": str(number)}),
    ]
    answer = await ways[number % len(ways)]()
    status: int = answer.status_code
    return status


@pytest.mark.security("RE-06")
@pytest.mark.timeout(0)
async def test_a_long_mixed_run_leaves_nothing_behind(
    edge: Edge, record_property: Callable[[str, object], None]
) -> None:
    rounds, process = examples() * 40, psutil.Process()
    seen = {await mixed(edge, edge.key, number) for number in range(rounds // 2)}
    memory, files, took = process.memory_info().rss, process.num_fds(), list[float]()

    for number in range(rounds // 2, rounds):
        began = time.perf_counter()
        seen.add(await mixed(edge, edge.key, number))
        took.append(time.perf_counter() - began)

    grown, slowest = process.memory_info().rss / memory - 1, max(took)
    early, late = (statistics.median(part) for part in (took[: len(took) // 3], took[-len(took) // 3 :]))
    figures = {"requests": rounds, "MiB": memory >> 20, "grown": grown, "files": process.num_fds(), "slowest": slowest,
               "early": early, "late": late}  # fmt: skip
    for name, figure in figures.items():
        record_property(name, figure)
    assert max(seen) < 500
    assert grown < 0.05
    assert process.num_fds() <= files + 2
    assert slowest < 3
    assert late < 3 * early + 0.02  # as quick at the end as before; the rest is the machine's

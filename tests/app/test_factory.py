"""The composition: the product's own parts, in order, and nothing opened before it serves."""

import sys
from pathlib import Path

import anyio
import httpx2
import pytest

from app.composition import Parts
from app.factory import create_app
from tests.edge import ERAS, Edge, messages, running, settings_for
from tests.processes import environment


async def test_the_product_serves_the_toolsets_of_its_settings(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), Parts()) as edge:
        listed = await edge.rpc("tools/list")

    names = {tool["name"] for tool in listed.json()["result"]["tools"]}
    assert {"list_my_ai_personas", "talk_to_ai_persona"} <= names


def test_nothing_is_opened_before_serving_begins(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)

    create_app(settings)

    assert sorted(file.name for file in tmp_path.iterdir()) == ["audit.key", "internal.key", "oauth.key"]


async def test_an_application_can_be_started_again_in_the_same_place(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)

    for _ in range(2):
        async with running(settings) as edge:
            assert (await edge.call("private", key=edge.key)).status_code == 200


@pytest.mark.security("RS-29")
async def test_towards_the_real_api_only_the_callers_key_travels(tmp_path: Path) -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        if request.url.path.endswith("/auth/me"):
            return httpx2.Response(200, json={"id": "ada"})
        return httpx2.Response(200, json={"data": [], "pagination": {"total": 0, "limit": 100, "offset": 0}})

    key = "aox_" + "0123456789abcdef" * 3
    settings = settings_for(tmp_path, mindsai_api_url="https://api.example")
    async with running(settings, Parts(transport=httpx2.MockTransport(answer))) as edge:
        response = await edge.call(
            "list_my_ai_personas",
            key=key,
            headers={"cookie": "a=b", "x-forwarded-for": "1.2.3.4", "mcp-session-id": "s"},
        )

    assert response.json()["result"]["isError"] is False
    assert {request.url.host for request in seen} == {"api.example"}
    assert {request.headers["authorization"] for request in seen} == {f"Bearer {key}"}
    assert all(not {"cookie", "x-forwarded-for", "x-own"} & set(request.headers) for request in seen)


@pytest.mark.parametrize("era", ERAS)
async def test_the_credential_is_in_no_answer_and_no_line(
    edge: Edge, era: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = edge.key
    answers = [
        await edge.call(tool, era=era, key=key, token="t")
        for tool in ("say", "private", "count", "fail", "crash", "stumble", "hurry", "nope")
    ]
    answers += [
        await edge.call("refuse", {"kind": kind}, era=era, key=key) for kind in ("authentication", "permission")
    ]
    answers += [await edge.rpc("nope", era=era, key=key), await edge.client.get("/mcp", headers={"authorization": key})]
    answers += [await edge.call("private", era=era, key=f"{key}0"), await edge.call("say", era=era, key=f"{key} {key}")]

    shown = "".join(f"{answer.text}{answer.headers}" for answer in answers)
    written = capsys.readouterr()
    assert key not in shown
    assert key not in written.out + written.err
    assert len(messages(answers[0])) == 1


HTTP = """
import asyncio, sys, app.commands.serve
from app.factory import Settings, create_app
async def main():
    app = create_app(Settings())
    async with app.router.lifespan_context(app):
        print(*sys.modules)
asyncio.run(main())
"""
EMBEDDED = """
import atexit, sys, app.__main__ as it
sys.argv = ["app", "internal-api"]
atexit.register(lambda: print(*sys.modules))
it.main()
"""
STDIO = "import atexit, sys, mcp_server.stdio as it; atexit.register(lambda: print(*sys.modules)); it.main()"
UNUSED = (
    "alembic authlib.integrations docx httpcore2 limits.aio lxml mako opentelemetry.sdk psycopg pypdf redis "
    "snowballstemmer webauthn xlsxwriter"
)
OF_PROTOCOL = (
    "mcp.server. mcp.shared mcp_types rich"  # which only who serves MCP needs, and takes a quarter of the others' start
)
OF_STDIO = "cryptography keyring mcp.client mcp.server.mcpserver sqlalchemy"
REMOTE = {"MINDSAI_API_URL": "https://gw.example", "MINDSAI_API_KEY": "minds_key"}


@pytest.mark.parametrize(
    ("start", "given", "unused"),
    [(HTTP, {}, UNUSED), (STDIO, REMOTE, f"{UNUSED} {OF_STDIO}"), (EMBEDDED, {}, f"{UNUSED} {OF_PROTOCOL}")],
    ids=["http", "stdio", "embedded"],
)
async def test_a_process_loads_no_library_that_its_settings_do_not_use(
    tmp_path: Path, start: str, given: dict[str, str], unused: str
) -> None:
    async with running(settings_for(tmp_path)):
        pass  # the schema is the newest

    settings = environment(DATA_DIR=str(tmp_path), **given)
    shown = await anyio.run_process([sys.executable, "-c", start], cwd=tmp_path, env=settings, input=b"")

    loaded = shown.stdout.decode().split()
    assert [name for name in loaded if name.startswith(tuple(unused.split()))] == []

"""The process that desktop clients start: JSON-RPC on standard output, and an end with its input."""

import asyncio
import os
import signal
from pathlib import Path

import orjson
import psutil
import pytest

from mcp_server.audit.entries import Event
from mcp_server.audit.files import folder_of
from mcp_server.audit.recorder import Recorder
from mcp_server.errors import RateLimitExceeded
from mcp_server.limits.rules import RateLimitKey
from mcp_server.minds_api.child_process import PROJECT
from mcp_server.protocol.stdio_lines import MAX_LINE
from mcp_server.settings import StdioSettings
from mcp_server.stdio_server import limits_of, start_problems, store_of
from mcp_server.toolkit.files import FileStore
from tests.auditing import Memory, queued
from tests.edge import ERAS, LEGACY, MODERN, PATIENCE, make_keys, request, settings_for, within
from tests.mcp_server.stdio_process import BAD_KEY, FRESH, Stdio, started
from tests.support import settings


@pytest.mark.parametrize("era", ERAS)
async def test_an_older_client_shakes_hands_a_newer_discovers_and_both_list_call_and_end_all_that_they_started(
    tmp_path: Path, era: str
) -> None:
    key, _ = await make_keys(settings_for(tmp_path))

    async with started(tmp_path, *FRESH, MINDSAI_API_KEY=key) as stdio:
        hello = await (stdio.handshake() if era == LEGACY else stdio.ask("server/discover", era=era))
        listed = await stdio.ask("tools/list", era=era)
        called = await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}}, era=era)
        born = children(stdio)
        out, err, code = await stdio.end()

    served = {LEGACY: ("protocolVersion", LEGACY), MODERN: ("supportedVersions", [MODERN])}[era]
    assert served in hello["result"].items()
    assert listed["result"].get("resultType") == (None if era == LEGACY else "complete")
    assert "list_my_ai_personas" in {tool["name"] for tool in listed["result"]["tools"]}
    assert called["result"]["isError"] is False
    assert called["result"]["structuredContent"]
    assert (out, code) == (b"", 0)
    assert key.encode() not in err
    assert born
    await all_gone(born)


DEMO = {"name": "Bertha", "mode": "keywords", "keywords": ["bread", "ovens"]}


@pytest.mark.parametrize(("era", "status"), [(LEGACY, -32001), (MODERN, 401)])
async def test_without_a_key_a_demo_persona_can_be_made_and_a_private_call_says_where_the_key_belongs(
    tmp_path: Path, era: str, status: int
) -> None:
    async with started(tmp_path) as stdio:
        if era == LEGACY:
            await stdio.handshake()
        create = "create_ai_persona_or_digital_twin"
        made = await stdio.ask("tools/call", {"name": create, "arguments": DEMO}, era=era)
        stays = await stdio.ask("tools/call", {"name": create, "arguments": {**DEMO, "demo": False}}, era=era)
        private = await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}}, era=era)
        out, err, code = await stdio.end()

    assert made["result"]["isError"] is False
    assert made["result"]["structuredContent"]["sparkId"]
    for refused in (stays, private):
        assert refused["error"]["code"] == status
        assert refused["error"]["data"]["code"] == "AUTHENTICATION_REQUIRED"
        assert "MINDSAI_API_KEY" in refused["error"]["message"]
    secret = (tmp_path / "internal.key").read_text()
    assert secret not in str(made)
    assert secret.encode() not in out + err
    assert code == 0


async def test_without_a_key_the_real_api_is_not_asked(tmp_path: Path) -> None:
    async with started(tmp_path, MINDSAI_API_URL="http://127.0.0.1:9") as stdio:
        await stdio.handshake()
        answer = await stdio.ask("tools/call", {"name": "create_ai_persona_or_digital_twin", "arguments": DEMO})

    assert answer["error"]["data"]["code"] == "AUTHENTICATION_REQUIRED"


async def test_a_key_that_is_not_good_is_refused_and_not_shown(tmp_path: Path) -> None:
    key = BAD_KEY

    async with started(tmp_path, MINDSAI_API_KEY=key) as stdio:
        await stdio.handshake()
        answer = await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}})
        _, err, _ = await stdio.end()

    assert answer["error"]["code"] == -32001
    assert key not in str(answer)
    assert key.encode() not in err


@pytest.mark.parametrize("era", ERAS)
async def test_each_call_is_one_audit_line_on_standard_error_and_output_carries_messages_only(
    tmp_path: Path, era: str
) -> None:
    async with started(tmp_path, "-c", NOISY, MINDSAI_API_URL="http://127.0.0.1:9", MINDSAI_API_KEY=BAD_KEY) as stdio:
        if era == LEGACY:
            await stdio.handshake()
        answer = await stdio.ask("tools/call", {"name": "shout", "arguments": {}}, era=era)
        await stdio.ask("tools/call", {"name": "shout", "arguments": {"what": "a secret wish"}}, era=era)
        out, err, code = await stdio.end()

    assert answer["result"]["structuredContent"] == {"text": "done"}
    assert (out, code) == (b"", 0)
    assert b"printed while importing" in err
    assert b"at the descriptor" in err

    told = [orjson.loads(line) for line in err.splitlines() if b'"event":"tool_' in line]
    assert [(line["event"], line["tool"], line["subject"]) for line in told] == [
        ("tool_success", "shout", "stdio"),
        ("tool_failure", "shout", "stdio"),
    ]
    assert {line["protocol"] for line in told} == {era}
    assert b"a secret wish" not in err


def call_of(text: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":%s}}' % text


REFUSED: list[tuple[bytes, int | None, int, str]] = [
    (b"{bad", None, -32700, "PARSE_ERROR"),
    (b"\xff\xfe", None, -32700, "PARSE_ERROR"),
    (call_of(b"[" * 100_000 + b"]" * 100_000), None, -32700, "PARSE_ERROR"),
    (call_of(b'{"a":"a\\ud800b"}'), None, -32700, "PARSE_ERROR"),
    (b"rubbish " * 25_000, None, -32700, "PARSE_ERROR"),
    (b'[{"jsonrpc":"2.0","id":9,"method":"ping"}]', None, -32600, "INVALID_REQUEST"),
    (b"null", None, -32600, "INVALID_REQUEST"),
    (b'{"jsonrpc":"1.0","id":11,"method":"ping"}', 11, -32600, "INVALID_REQUEST"),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600, "INVALID_REQUEST"),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', None, -32600, "INVALID_REQUEST"),
    (call_of(b"[" * 900 + b"]" * 900), 7, -32600, "INVALID_REQUEST"),
    (b"x" * (MAX_LINE + 70_000), None, -32600, "BODY_TOO_LARGE"),
]


@pytest.mark.security("JR-01", "JR-02")
@pytest.mark.parametrize("era", ERAS)
async def test_each_line_that_is_no_message_is_answered_and_the_conversation_goes_on(tmp_path: Path, era: str) -> None:
    async with started(tmp_path, MINDSAI_API_URL="http://127.0.0.1:9") as stdio:
        if era == LEGACY:
            await stdio.handshake()
        for line, identity, code, name in REFUSED:
            await stdio.send(line)
            answer = await stdio.read()
            assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["code"]) == (identity, code, name)
            assert (await stdio.ask("tools/list", era=era))["result"]["tools"]
        out, err, code = await stdio.end()

    assert (out, code) == (b"", 0)
    assert err.count(b'"event":"line_refused"') == len(REFUSED)
    assert b"rubbish" not in err


async def test_refusals_and_answers_do_not_run_into_each_other(tmp_path: Path) -> None:
    ask, rounds = orjson.dumps(request("tools/list", era=LEGACY, identity="good")[1]), 100
    async with started(tmp_path, MINDSAI_API_URL="http://127.0.0.1:9") as stdio:
        await stdio.handshake()
        sending = asyncio.create_task(stdio.send(b"\n".join([ask, b"{bad"] * rounds)))
        seen = [(await stdio.read())["id"] for _ in range(2 * rounds)]
        await within(sending)

    assert (seen.count("good"), seen.count(None)) == (rounds, rounds)


SILENT_CHILD = """
import functools, sys
from mcp_server import stdio_server as stdio
command = (sys.executable, "-c", "import sys; sys.stdin.buffer.read()")
stdio.EmbeddedProcess = functools.partial(stdio.EmbeddedProcess, command)
sys.exit(stdio.main())
"""


async def test_the_tools_are_listed_before_the_embedded_api_is_ready(tmp_path: Path) -> None:
    async with started(tmp_path, "-c", SILENT_CHILD) as stdio:
        await stdio.handshake()
        listed = await stdio.ask("tools/list")

    assert listed["result"]["tools"]


NOISY = """
import logging, os, subprocess, sys
import structlog
from mcp_server import stdio_server as stdio
from tests.edge import Said, tool
from mcp_server.toolset import Toolset

async def shout() -> Said:
    "Write to wherever a library might write."
    print("printed")
    sys.stdout.write("written")
    sys.stdout.flush()
    os.write(1, b"at the descriptor")
    subprocess.run([sys.executable, "-c", "import sys; sys.stdin.read(); print('by a child')"], timeout=10)
    logging.getLogger("x").error("logged")
    structlog.get_logger("x").info("told")
    return Said(text="done")

def configured_toolsets(settings, env_file):
    print("printed while importing")
    return [Toolset("noisy", (tool(shout),))], []

stdio.configured_toolsets = configured_toolsets
sys.exit(stdio.main())
"""


def children(stdio: Stdio) -> list[psutil.Process]:
    return psutil.Process(stdio.process.pid).children(recursive=True)


async def all_gone(processes: list[psutil.Process]) -> None:
    gone, _ = await asyncio.to_thread(psutil.wait_procs, processes, PATIENCE)
    assert set(gone) == set(processes)


async def test_expired_files_go_at_the_start_and_what_was_asked_before_the_end_of_input_is_answered(
    tmp_path: Path,
) -> None:
    long_ago = FileStore(tmp_path, lifetime=60, now=lambda: 1_000_000)
    old = long_ago.put("old.md", "text/markdown", b"x").path
    new = FileStore(tmp_path, lifetime=60).put("new.md", "text/markdown", b"x").path

    async with started(tmp_path) as stdio:
        await stdio.handshake()
        async with asyncio.timeout(PATIENCE):
            while old.exists():  # noqa: ASYNC110  a file that goes is no event
                await asyncio.sleep(0.01)
        call = {"name": "create_ai_persona_or_digital_twin", "arguments": DEMO}
        await stdio.send(request("tools/call", call, era=LEGACY, identity="last")[1])
        out, _, code = await stdio.end()

    (answer,) = [message for message in map(orjson.loads, out.splitlines()) if message.get("id") == "last"]
    assert answer["result"]["structuredContent"]["name"] == DEMO["name"]
    assert code == 0
    assert new.exists()


async def test_a_workspace_with_an_app_and_settings_of_its_own_changes_nothing(tmp_path: Path) -> None:
    key, _ = await make_keys(settings_for(tmp_path))
    for package in ("app", "mcp_server"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('the workspace was run')")
    (tmp_path / ".env").write_text(f"DATABASE_URL=sqlite:///{tmp_path}/theirs.db\nPORT=abc\nTIMEOUT_DEFAULT=none\n")

    async with started(tmp_path, *FRESH, MINDSAI_API_KEY=key) as stdio:
        await stdio.handshake()
        called = await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}})
        born = children(stdio)
        await stdio.end()

    assert called["result"]["isError"] is False
    assert len(born) == 1
    assert not (tmp_path / "theirs.db").exists()


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
async def test_the_embedded_api_ends_however_the_process_ends(tmp_path: Path, by: signal.Signals) -> None:
    key, _ = await make_keys(settings_for(tmp_path))
    async with started(tmp_path, *FRESH, MINDSAI_API_KEY=key) as stdio:
        await stdio.handshake()
        await stdio.ask("tools/call", {"name": "list_my_ai_personas", "arguments": {}})
        born = children(stdio)

        stdio.process.send_signal(by)
        await within(stdio.process.wait())

    assert born
    await all_gone(born)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"TOOLSETS": "nope"}, b"TOOLSETS"),
        ({"MINDSAI_API_KYE": "hunter2"}, b"MINDSAI_API_KEY?"),
        ({"BREAKER_FAILURES": "hunter2"}, b"BREAKER_FAILURES"),
        ({"TIMEOUT_CHAT": "-1", "BREAKER_FAILURES": "0"}, b"TIMEOUT_CHAT"),
        ({"MINDSAI_API_URL": "minds_hunter2"}, b"MINDSAI_API_URL"),
        ({"LLM_BASE_URL": "hunter2:11434/v1", "LLM_MODEL": "m"}, b"LLM_BASE_URL"),
        ({"LLM_BASE_URL": "http://127.0.0.1:1/v1"}, b"LLM_MODEL"),
        ({"LLM_API_KEY": "hunter2"}, b"LLM_BASE_URL"),
        ({"LLM_TIMEOUT": "hunter2"}, b"LLM_TIMEOUT"),
        ({"INTERNAL_API_PANEL_CONCURRENCY": "hunter2"}, b"INTERNAL_API_PANEL_CONCURRENCY"),
    ],
)
async def test_a_wrong_setting_is_one_line_on_standard_error_and_exit_code_2(
    tmp_path: Path, settings: dict[str, str], named: bytes
) -> None:
    async with started(tmp_path, **settings) as stdio:
        out, err, code = await stdio.end()

    assert (out, code) == (b"", 2)
    assert err.count(b"\n") == 1
    assert named in err
    assert b"hunter2" not in err


@pytest.mark.parametrize("settings", [{"LOG_LEVEL": "critical"}, {"PORT": "abc"}])
async def test_what_only_the_embedded_api_refuses_ends_the_server_with_its_line(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with started(tmp_path, **settings) as stdio:
        code = await within(stdio.process.wait())  # its input is still open
        _, err, _ = await stdio.end()

    assert code == 2
    assert err.count(b"Error: " + next(iter(settings)).encode()) == 1


REFUSING_CHILD = """
import functools, sys
from mcp_server import stdio_server as stdio

CHILD = '''
import pathlib, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.05)
print("Error: NAME", file=sys.stderr)
sys.exit(2)
'''
stdio.EmbeddedProcess = functools.partial(stdio.EmbeddedProcess, (sys.executable, "-c", CHILD, sys.argv[1]))
del sys.argv[1:]
sys.exit(stdio.main())
"""


async def test_what_was_called_before_the_embedded_api_refused_a_setting_is_in_the_audit_log(tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with started(tmp_path, "-c", REFUSING_CHILD, str(go)) as stdio:
        await stdio.handshake()
        call = {"name": "create_ai_persona_or_digital_twin", "arguments": DEMO}
        await stdio.send(request("tools/call", call, era=LEGACY, identity="waits")[1])
        await stdio.ask("tools/list")  # so the call before it has begun
        go.touch()
        code = await within(stdio.process.wait())  # its input is still open
        _, err, _ = await stdio.end()

    rows = [orjson.loads(line) for path in folder_of(tmp_path).iterdir() for line in path.read_bytes().splitlines()]
    assert (code, err.count(b"Error: NAME"), err.count(b"did_not_start")) == (2, 1, 0)
    assert [row["event"] for row in rows][-3:] == [Event.TOOL_INVOKE, Event.TOOL_FAILURE, Event.AUDIT_END]


async def test_a_setting_of_the_embedded_api_stops_nothing_that_does_not_use_it(tmp_path: Path) -> None:
    async with started(tmp_path, LLM_API_KEY="hunter2", MINDSAI_API_URL="http://127.0.0.1:1") as stdio:
        _, _, code = await stdio.end()

    assert code == 0


def test_a_data_directory_that_is_not_there_is_named_and_not_made_but_for_the_default(tmp_path: Path) -> None:
    (problem,) = start_problems(StdioSettings(_env_file=None, data_dir=tmp_path / "typo"))

    assert problem.startswith(f"DATA_DIR: {tmp_path / 'typo'} does not exist")
    assert not (tmp_path / "typo").exists()
    assert (
        start_problems(StdioSettings(_env_file=None, data_dir=tmp_path))
        == start_problems(StdioSettings(_env_file=None, data_dir=Path("var")))
        == []
    )
    assert start_problems(StdioSettings(_env_file=None, data_dir=PROJECT / "var")) == []


def test_files_are_kept_where_the_embedded_api_keeps_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    named = {"absolute": tmp_path / "absolute", "relative": Path(os.path.relpath(tmp_path / "relative", PROJECT))}

    for name, folder in named.items():
        kept = store_of(settings(data_dir=folder, export_link_seconds=60)).put("a.md", "text/markdown", b"x")
        assert kept.path.resolve().is_relative_to((tmp_path / name / "exports").resolve())


async def test_a_refusal_for_too_many_calls_is_in_the_audit_log() -> None:
    recorder = Recorder([Memory()])
    limits = limits_of(settings(rate_limit_tools="*=1/minute"), [], recorder)
    asker = RateLimitKey("stdio", signed_in=True)

    assert limits is not None
    await limits.admit(asker, "any")
    with pytest.raises(RateLimitExceeded):
        await limits.admit(asker, "any")

    assert [(entry.event, entry.reason) for entry in queued(recorder)] == [(Event.RATE_LIMIT_EXCEEDED, "tools/call")]

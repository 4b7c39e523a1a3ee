"""One server, whatever the transport: the same tools, once each, with what each host reads of them."""

from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ConfigDict

from mcp_server.factory import UNINITIALIZED, create_server
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.runtime import Runtime
from mcp_server.toolkit.quotations import NOTICE
from mcp_server.toolset import Tool, Toolset, discover
from tests.edge import within
from tests.snapshots import PRESCRIBED, every_toolset
from tests.support import ADA, API_URL, ERAS, Era, FakeApi, FakeFiles, connect, connect_without_http, serve, settings

PERSONAS = {
    "add_knowledge",
    "check_ai_persona_training_progress",
    "create_ai_persona_or_digital_twin",
    "create_personas",
    "delete_persona",
    "list_knowledge",
    "list_my_ai_personas",
    "remove_knowledge",
    "rename",
    "retrain",
    "set_persona_attributes",
    "talk_to_ai_persona",
}


@pytest.mark.requirement("seed:gateway:one-factory")
@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_the_same_with_and_without_http(api: FakeApi, era: Era) -> None:
    async with connect(api, ADA, era) as client:
        over_http = await client.list_tools()
    async with connect_without_http(api, ADA, era) as client:
        in_process = await client.list_tools()

    assert {tool.name for tool in over_http.tools} == PERSONAS
    assert over_http.tools == in_process.tools


async def test_the_server_says_who_it_is_and_how_to_begin(api: FakeApi) -> None:
    async with connect(api, ADA, "legacy") as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.title) == ("minds", "Minds")
        assert client.instructions == f"{discover(['personas'])[0].instructions} {NOTICE}"


async def test_each_tool_carries_its_security_schemes_where_openai_looks(api: FakeApi) -> None:
    async with connect_without_http(api, ADA, "legacy") as client:
        listed = await client.session.send_request(types.ListToolsRequest(), result_type=_Raw)

    schemes = {tool["name"]: tool["securitySchemes"] for tool in listed.model_dump()["tools"]}
    assert schemes["list_my_ai_personas"] == [{"type": "oauth2", "scopes": ["sparks:read"]}]
    assert {"type": "noauth"} in schemes["create_ai_persona_or_digital_twin"]


class _Raw(types.Result):
    """A result with all that the wire had."""

    model_config = ConfigDict(extra="allow")


def runtime(*toolsets: Toolset) -> Runtime:
    return Runtime(settings(), toolsets, api_url=API_URL, credentials=OwnKey(), files=FakeFiles(), transport=FakeApi())


def test_two_tools_of_one_name_do_not_start() -> None:
    [personas] = discover(["personas"])

    with pytest.raises(ValueError, match="two tools"):
        create_server(runtime(), [personas, personas])


async def test_a_toolset_may_register_what_is_no_tool(api: FakeApi) -> None:
    seen: list[Server[Any]] = []
    extra = Toolset("extra", tuple[Tool, ...](), extend=seen.append)

    async with serve(api, [extra]) as gateway:
        assert seen == [gateway.server]


@pytest.mark.requirement("seed:gateway:creates-personas", "seed:gateway:chats-with-personas")
def test_the_instructions_name_tools_that_exist() -> None:
    for toolset in every_toolset():
        words = {word.strip(".,:") for word in toolset.instructions.split()}
        named = {word for word in words if "_" in word or word in PRESCRIBED}

        assert named
        assert named <= {tool.name for tool in toolset.tools}


async def test_a_request_before_the_handshake_is_told_what_to_send() -> None:
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    write, spoken = anyio.create_memory_object_stream[SessionMessage](1)
    early, well = (types.JSONRPCRequest(jsonrpc="2.0", id=identity, method="tools/list") for identity in (1, 2))
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    answers: list[Any] = []

    server = create_server(runtime(), [])
    async with incoming, spoken, anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, read, write, server.create_initialization_options())
        for asked in (early, types.JSONRPCRequest(jsonrpc="2.0", id=3, method="initialize", params=hello), well):
            await incoming.send(SessionMessage(asked))
            answers.append((await within(spoken.receive())).message)
        tasks.cancel_scope.cancel()

    assert (answers[0].error.code, answers[0].error.data) == (types.INVALID_PARAMS, {"code": "INVALID_PARAMS"})
    assert answers[0].error.message == UNINITIALIZED
    assert '"initialize"' in UNINITIALIZED
    assert answers[2].result["tools"] == []

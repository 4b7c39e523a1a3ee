"""All answers as a file: a link that expires, with the file beside it where it is short or on this machine."""

from dataclasses import dataclass
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from mcp_server.caller import ANONYMOUS
from tests.mcp_server.toolsets.panels.tools.client import client_of, opened
from tests.mcp_server.toolsets.panels.world import answer, asked, audience, id_of, listing, output, study, summary, told
from tests.support import FakeApi, Reply, failure_of, text_of

TOOL = "export_panel"
ID = id_of("Pricing")
READ = f"GET /studies/{ID}"
GROUPS = (audience("Owners", "Mia", "Ben"), audience("Guests", "Zoe"))
WHY = output("Why?", {"Owners": [answer("Mia", "9"), answer("Ben", "7")], "Guests": [answer("Zoe", "2")]})
STARTS = {"json": b"{", "csv": b"\xef\xbb\xbf", "xlsx": b"PK", "md": b"#", "pdf": b"%PDF-"}


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    messages = [asked("Why?"), told("Why?", WHY)]
    api.answers["GET /studies"] = listing([summary("Pricing")])
    api.answers[READ] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})
    return api


@dataclass(frozen=True)
class Export:
    """A result, and the file behind its link."""

    result: Any
    content: bytes

    @property
    def told(self) -> dict[str, Any]:
        structured: dict[str, Any] = self.result.structured_content
        return structured


async def exported(api: FakeApi, **arguments: Any) -> Export:
    async with opened(api) as (client, files):
        result = await client.call_tool(TOOL, {"panelId": ID, **arguments})
    link = next(block for block in result.content if isinstance(block, types.ResourceLink))
    return Export(result, files.published[str(link.uri)][2])


async def refused(api: FakeApi, **arguments: Any) -> dict[str, Any]:
    async with client_of(api) as client:
        return failure_of(await client.call_tool(TOOL, {"panelId": ID, **arguments}))


@pytest.mark.requirement("seed:gateway:export-panel")
@pytest.mark.parametrize("kind", sorted(STARTS))
async def test_every_format_is_a_file_behind_a_link(api: FakeApi, kind: str) -> None:
    export = await exported(api, format=kind)

    assert export.content.startswith(STARTS[kind])
    assert len(export.content) == export.told["bytes"]
    assert export.told["fileName"].endswith(f".{kind}")
    assert (export.told["format"], export.told["questions"], export.told["answers"]) == (kind, 1, 3)
    assert export.told["url"] in text_of(export.result)


@pytest.mark.parametrize(
    ("alias", "kind"), [("xls", "xlsx"), ("markdown", "md"), (" .PDF", "pdf"), ("Csv", "csv"), (None, "pdf")]
)
async def test_other_names_of_a_format_are_taken(api: FakeApi, alias: str | None, kind: str) -> None:
    assert (await exported(api, format=alias)).told["format"] == kind


async def test_the_mark_of_the_encoding_can_be_left_out(api: FakeApi) -> None:
    assert not (await exported(api, format="csv", csvByteOrderMark=False)).content.startswith(b"\xef\xbb\xbf")


async def test_an_unknown_format_is_refused_with_the_known_ones(api: FakeApi) -> None:
    message = (await refused(api, format="docx"))["message"]

    assert all(kind in message for kind in STARTS)


async def test_one_question_alone_can_be_exported(api: FakeApi) -> None:
    messages = [asked("Why?"), told("Why?", WHY), asked("How?"), told("How?", WHY)]
    api.answers[READ] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})

    export = await exported(api, format="csv", questionId=id_of("told How?"))

    assert export.told["questions"] == 1
    assert b"Why?" not in export.content


async def test_a_panel_that_is_not_the_callers_does_not_exist(api: FakeApi) -> None:
    api.answers[READ] = Reply({"statusCode": 403}, 403)

    assert (await refused(api))["code"] == "not_found"


@pytest.mark.requirement("seed:gateway:export-panel-needs-auth")
async def test_it_wants_a_caller(api: FakeApi) -> None:
    async with client_of(api, ANONYMOUS) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(TOOL, {"panelId": ID})

    assert caught.value.error.data["code"] == "AUTHENTICATION_REQUIRED"

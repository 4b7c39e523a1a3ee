"""All answers as a file: a link that expires, with the file beside it where it is short or on this machine."""

import io
import json
from typing import Any

import mcp_types as types
import pytest
from openpyxl import load_workbook

from tests.mcp_server.toolsets.panels.tools.client import called, opened
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
    api.answers["GET /minds"] = listing([])
    api.answers["GET /studies"] = listing([summary("Pricing")])
    api.answers[READ] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})
    return api


async def exported(api: FakeApi, **arguments: Any) -> tuple[dict[str, Any], bytes]:
    """The structured result, whose link stands in the text, too, and the file behind it."""
    async with opened(api) as (client, files):
        result = await client.call_tool(TOOL, {"panelId": ID, **arguments})
    link = next(block for block in result.content if isinstance(block, types.ResourceLink))
    assert result.structured_content["url"] in text_of(result)
    return result.structured_content, files.published[str(link.uri)][2]


@pytest.mark.requirement("seed:gateway:export-panel")
@pytest.mark.parametrize("kind", sorted(STARTS))
async def test_every_format_is_a_file_behind_a_link(api: FakeApi, kind: str) -> None:
    told, content = await exported(api, format=kind)

    assert content.startswith(STARTS[kind])
    assert told["fileName"].endswith(f".{kind}")
    assert (told["format"], told["questions"], told["answers"], told["bytes"]) == (kind, 1, 3, len(content))


@pytest.mark.parametrize(
    ("alias", "kind"), [("xls", "xlsx"), ("markdown", "md"), (" .PDF", "pdf"), ("Csv", "csv"), (None, "pdf")]
)
async def test_other_names_of_a_format_are_taken(api: FakeApi, alias: str | None, kind: str) -> None:
    assert (await exported(api, format=alias))[0]["format"] == kind


async def test_the_mark_of_the_encoding_can_be_left_out(api: FakeApi) -> None:
    assert not (await exported(api, format="csv", csvByteOrderMark=False))[1].startswith(b"\xef\xbb\xbf")


async def test_an_unknown_format_is_refused_with_the_known_ones(api: FakeApi) -> None:
    message = failure_of(await called(api, TOOL, panelId=ID, format="docx"))["message"]

    assert all(kind in message for kind in STARTS)


async def test_one_question_alone_can_be_exported(api: FakeApi) -> None:
    messages = [asked("Why?"), told("Why?", WHY), asked("How?"), told("How?", WHY)]
    api.answers[READ] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})

    export, content = await exported(api, format="csv", questionId=id_of("told How?"))

    assert export["questions"] == 1
    assert b"Why?" not in content


async def test_a_panel_that_is_not_the_callers_does_not_exist(api: FakeApi) -> None:
    api.answers[READ] = Reply({"statusCode": 403}, 403)

    assert failure_of(await called(api, TOOL, panelId=ID))["code"] == "not_found"


async def test_the_attributes_of_who_was_asked_stand_beside_each_answer(api: FakeApi) -> None:
    # More values than are told one by one: segments would have bands, the file has the age itself.
    ages = {"Mia": 31, "Ben": 32, "Zoe": 54} | {f"Stranger {n}": 20 + n for n in range(20)}
    rows = [{"id": id_of(name), "name": name, "tags": [f"Age: {age}", "vip"]} for name, age in ages.items()]
    rows[-1]["tags"] = ["=cmd: 1"]
    api.answers["GET /minds"] = listing(rows)

    table = [row.split(",") for row in (await exported(api, format="csv"))[1].decode("utf-8-sig").splitlines()]
    workbook = load_workbook(io.BytesIO((await exported(api, format="xlsx"))[1]))
    (question,) = json.loads((await exported(api, format="json"))[1])["questions"]

    told = {"Mia": "31", "Ben": "32", "Zoe": "54"}
    assert {row[4].strip('"'): row[-1].strip('"') for row in table[1:]} == told
    assert table[0][-1] == '"Attribute: age"'  # none of those of strangers
    head, *answers = workbook["Answers"].iter_rows(values_only=True)
    assert {row[head.index("Persona")]: row[head.index("Attribute: age")] for row in answers} == told
    assert {reply["persona"]: reply["attributes"]["age"] for reply in question["replies"]} == told

"""A table makes its personas once, names each fault by its line, and puts them into a group."""

from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import httpx2
import orjson
import pytest

from tests.mcp_server.toolsets.personas.world import call, failed, knowledge, listing, refused, summary, training
from tests.support import ADA, FakeApi, Reply, failure_of, text_of

TOOL = "create_personas"
HEAD = "name,context,region,role\n"


def ready(api: FakeApi) -> list[dict[str, Any]]:
    """An API that keeps what it is given."""
    kept: list[dict[str, Any]] = []

    def create(request: httpx2.Request) -> Reply:
        body = orjson.loads(request.content)
        if body["name"] == "Broken":
            return Reply({"statusCode": 400, "message": "no"}, 400)
        kept.append(summary(body["name"], tags=body.get("tags", []), id=str(uuid5(NAMESPACE_DNS, str(len(kept))))))
        return Reply({"data": kept[-1], "training": training("queued")}, 201)

    api.answers["POST /minds"] = create
    api.answers["GET /minds"] = lambda _: listing(kept)
    api.answers["POST /audiences"] = Reply({"data": {"id": str(uuid5(NAMESPACE_DNS, "g")), "name": "All"}}, 201)
    return kept


async def test_each_row_is_one_persona_with_its_other_columns_as_attributes(api: FakeApi) -> None:
    kept = ready(api)
    table = HEAD + '"Ada","Runs a shop, small",North,Buyer\nBen,Buys for a chain,South,\n'

    result = await call(api, TOOL, {"csv": table, "group": "All"}, ADA)

    assert result.structured_content is not None
    assert [one["line"] for one in result.structured_content["created"]] == [2, 3]
    assert {one["name"]: one["tags"] for one in kept} == {
        "Ada": ["region: North", "role: Buyer"],
        "Ben": ["region: South"],
    }
    assert result.structured_content["groupId"]
    assert api.sent_json("POST /audiences")[0]["mindIds"] == [one["id"] for one in kept]


@pytest.mark.parametrize("retryable", [True, False])
async def test_the_same_call_trains_again_whose_training_failed_where_that_may_help(
    api: FakeApi, retryable: bool
) -> None:
    kept = ready(api)
    table = "name,context\nAda,Keeps bees.\nBen,Keeps bees.\n"
    await call(api, TOOL, {"csv": table}, ADA)
    kept[0] |= {"trainingStatus": "failed", "readyToChat": False, "knowledgeItemCount": 1}
    path = f"/minds/{kept[0]['id']}"
    api.answers |= {f"GET {path}": Reply({"data": kept[0]}), f"GET {path}/knowledge": knowledge("completed")}
    api.answers[f"GET {path}/training"] = Reply(failed("PROFILE_FAILED", retryable=retryable))
    api.answers[f"POST {path}/retrain"] = Reply({}, 202)

    again = await call(api, TOOL, {"csv": table, "group": "All"}, ADA)

    content = again.structured_content or {}
    assert len(api.sent(f"POST {path}/retrain")) == int(retryable)
    assert [one["status"] for one in content["existing"]] == ["queued" if retryable else "failed", None]
    assert ("1 of them; whose training had failed is trained again" in text_of(again)) is retryable
    assert ("its training failed" in text_of(again)) is not retryable
    assert "took no other context: add_knowledge adds it" in text_of(again)
    assert len(api.sent_json("POST /audiences")[0]["mindIds"]) == 2


async def test_the_same_call_again_makes_nobody(api: FakeApi) -> None:
    kept = ready(api)
    table = HEAD + "".join(f"Person {number},Somebody,North,\n" for number in range(30))

    first = await call(api, TOOL, {"csv": table}, ADA)
    again = await call(api, TOOL, {"csv": table}, ADA)

    assert first.structured_content is not None
    assert again.structured_content is not None
    assert (len(first.structured_content["created"]), len(kept)) == (30, 30)
    assert (len(again.structured_content["created"]), len(again.structured_content["existing"])) == (0, 30)


async def test_faults_are_named_by_their_lines_and_hinder_nobody(api: FakeApi) -> None:
    ready(api)
    table = HEAD + "A,x,,\nB,,,\nAda,Somebody,North,\n\nAda,Somebody,North,\nEve,a,b,c,d\nBroken,Somebody,,\n"

    result = await call(api, TOOL, {"csv": table}, ADA)

    assert result.structured_content is not None
    assert [one["name"] for one in result.structured_content["created"]] == ["Ada"]
    assert [one["line"] for one in result.structured_content["faults"]] == [2, 3, 6, 7, 8]


@pytest.mark.parametrize(
    ("table", "fault"),
    [('name,context\nAda,"unclosed\nBen,fine\n', "written twice"), ("name,context,Name\nA,b,c\n", "name twice")],
)
async def test_a_table_that_would_lose_a_row_or_a_column_is_refused_whole(api: FakeApi, table: str, fault: str) -> None:
    ready(api)

    result = await call(api, TOOL, {"csv": table}, ADA)

    assert result.is_error
    assert fault in text_of(result)
    assert api.sent("POST /minds") == []


async def test_a_group_is_made_when_no_row_is_faulty(api: FakeApi) -> None:
    ready(api)

    result = await call(api, TOOL, {"csv": HEAD + "Ada,Somebody,,\nB,x,,\n", "group": "All"}, ADA)

    assert (result.structured_content or {})["groupId"] is None
    assert "the table mended" in text_of(result)
    assert api.sent("POST /audiences") == []


async def test_a_row_with_several_sources_keeps_all_and_its_columns_may_have_any_blanks(api: FakeApi) -> None:
    kept = ready(api)

    table = "name,context,link,keywords,Household  size\nAda,Keeps bees.,https://example.com/bees,astrolabe,2\n"
    await call(api, TOOL, {"csv": table}, ADA)

    (sent,) = api.sent_json("POST /minds")
    said = (sent["mode"], sent["personaContext"], sent["contextLink"], sent["keywords"])
    assert said == ("clone", "Keeps bees.", "https://example.com/bees", ["astrolabe"])
    assert kept[0]["tags"] == ["household size: 2"]


async def test_a_cell_of_json_may_be_a_list(api: FakeApi) -> None:
    ready(api)

    rows = [{"name": "Ada", "knowledge": ["Runs a shop.", "Buys tea."]}, {"name": "Ben", "keywords": ["tea", "milk"]}]
    await call(api, TOOL, {"rows": rows}, ADA)

    sent = {one["name"]: one for one in api.sent_json("POST /minds")}
    assert sent["Ada"]["personaContext"] == "Runs a shop.\n\nBuys tea."
    assert sent["Ben"]["keywords"] == ["tea", "milk"]


async def test_rows_may_be_json_and_a_table_must_be_there(api: FakeApi) -> None:
    kept = ready(api)
    attributes = {"role": "Buyer", "floor": 3, "region": None, "languages": ["en", "fr"]}
    rows = [{"name": "Ada", "keywords": "tea; milk", "attributes": attributes, "age": 41}]

    await call(api, TOOL, {"rows": rows}, ADA)

    assert api.sent_json("POST /minds")[0]["keywords"] == ["tea", "milk"]
    assert sorted(kept[0]["tags"]) == ["age: 41", "floor: 3", "languages: en, fr", "role: Buyer"]
    for wrong in ({}, {"rows": rows, "csv": HEAD}, {"rows": [{"name": "Ben", "attributes": "x", "keywords": "tea"}]}):
        result = await call(api, TOOL, wrong, ADA)
        assert result.is_error or (result.structured_content or {})["faults"]


async def test_attributes_are_changed_and_the_other_tags_stay(api: FakeApi) -> None:
    ada = summary("Ada", tags=["loyal", "region: North"])
    api.answers[f"GET /minds/{ada['id']}"] = Reply({"data": ada})
    api.answers[f"PUT /minds/{ada['id']}"] = Reply({"data": {**ada, "tags": ["loyal", "region: South"]}})

    change = {"sparkIds": [ada["id"]], "attributes": {"region": "South"}}
    result = await call(api, "set_persona_attributes", change, ADA)
    await call(api, "set_persona_attributes", {**change, "attributes": {"Region": ""}}, ADA)

    assert api.sent_json(f"PUT /minds/{ada['id']}") == [{"tags": ["loyal", "region: South"]}, {"tags": ["loyal"]}]
    assert result.structured_content is not None
    assert result.structured_content["personas"][0]["tags"] == ["loyal", "region: South"]


async def test_a_draft_creates_nobody_and_names_what_is_not_sound(api: FakeApi) -> None:
    ada = {"name": "Ada Berg", "context": "Runs a café.", "attributes": {"role": "owner"}}
    api.answers["POST /audience-drafts"] = Reply({"data": {"people": [ada, {"name": "B"}, "nobody"]}})

    result = await call(api, TOOL, {"audience": "owners of small cafés", "count": 4}, ADA)
    content = result.structured_content or {}

    assert api.sent_json("POST /audience-drafts") == [{"audience": "owners of small cafés", "count": 4}]
    assert (content["draft"], [one["line"] for one in content["faults"]]) == ([ada], [2, 3])
    assert content["left"] == 3
    assert "A draft of 1 of the 4 people asked for; nobody is created." in text_of(result)
    assert "> Ada Berg: Runs a café." in text_of(result)
    assert api.sent("POST /minds") == []


@pytest.mark.parametrize("reply", [refused(404), refused(400, "NO_MODEL")])
async def test_an_api_that_cannot_draft_is_told_apart(api: FakeApi, reply: Reply) -> None:
    api.answers["POST /audience-drafts"] = reply

    refusal = failure_of(await call(api, TOOL, {"audience": "owners of small cafés"}, ADA))

    assert "LLM_BASE_URL" in refusal["message"]


async def test_a_row_of_attributes_alone_makes_a_persona_that_knows_these(api: FakeApi) -> None:
    ready(api)

    await call(api, TOOL, {"csv": "name,age,role\nAda,34,Nurse\n"}, ADA)

    (body,) = api.sent_json("POST /minds")
    assert (body["mode"], body["personaContext"]) == ("clone", "age: 34. role: Nurse")
    assert body["tags"] == ["age: 34", "role: Nurse"]


async def test_a_row_of_whom_nothing_is_told_begins_empty_and_says_what_to_do(api: FakeApi) -> None:
    ready(api)

    result = await call(api, TOOL, {"rows": [{"name": "Ben"}]}, ADA)

    content = result.structured_content or {}
    assert (content["faults"], [one["status"] for one in content["created"]]) == ([], ["empty"])
    assert api.sent_json("POST /minds")[0]["mode"] == "manual"
    assert "add_knowledge" in text_of(result)


async def test_a_column_knowledge_is_the_context_and_values_may_be_a_sentence(api: FakeApi) -> None:
    kept = ready(api)
    motto = "Wants it simple, and would rather pay more than read a manual"

    await call(api, TOOL, {"csv": f'name,Knowledge,motto\nAda,Runs a shop.,"{motto}"\n'}, ADA)
    await call(api, TOOL, {"rows": [{"name": "Ben", "context": "Buys.", "knowledge": "For a chain."}]}, ADA)

    sent = api.sent_json("POST /minds")
    assert [one["personaContext"] for one in sent] == ["Runs a shop.", "Buys.\n\nFor a chain."]
    assert [one["tags"] for one in kept] == [[f"motto: {motto}"], []]


@pytest.mark.parametrize("column", ["Full  name", "Persona", "participant"])
async def test_a_persona_is_named_by_whichever_column_names_people(api: FakeApi, column: str) -> None:
    kept = ready(api)

    await call(api, TOOL, {"csv": f"{column},context\nAda Abel,Runs a shop.\n"}, ADA)
    await call(api, TOOL, {"rows": [{"name": "Ben", column: "Buyer", "context": "Buys."}]}, ADA)

    assert [one["name"] for one in kept] == ["Ada Abel", "Ben"]
    assert kept[1]["tags"] == [f"{' '.join(column.split()).casefold()}: Buyer"]

"""A persona is found by id or by what its name was meant to be, and its answer comes whole, with its sources."""

from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from mcp_server.caller import ANONYMOUS
from tests.mcp_server.toolsets.personas.world import (
    completion,
    detail,
    failed,
    id_of,
    listing,
    listing_of,
    refused,
    summary,
    training,
)
from tests.support import ADA, ERAS, Era, FakeApi, Reply, connect, failure_of, text_of

TOOL = "talk_to_ai_persona"
ID = id_of("Ada Lovelace")
SAYS = f"POST /minds/{ID}/completion"

CITATIONS = [
    {"id": "a", "displaySource": "example.com", "rawLink": "https://example.com/notes", "snippet": "Note G", "page": 3},
    {"id": "b", "displaySource": "letters.pdf", "rawLink": None, "title": "Letters", "similarity": 0.71, "x": 1},
]


@pytest.fixture
def api(api: FakeApi) -> FakeApi:
    api.answers["GET /minds"] = listing_of("Ada Lovelace", "Grace Hopper", "Alan Turing", "Alan Kay")
    api.answers[f"GET /minds/{ID}"] = detail("Ada Lovelace")
    api.answers[SAYS] = completion("Good day.")
    return api


@pytest.mark.requirement("seed:gateway:talk-by-id")
@pytest.mark.requirement("seed:gateway:tool-answers-text", "seed:gateway:tool-answers-structured")
@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_comes_with_numbered_sources_and_what_it_stands_on(api: FakeApi, era: Era) -> None:
    api.answers[SAYS] = completion(
        "Loops matter [[CITE:1]][[CITE:0]]. They repeat [[CITE:1]]. [[CITE:9]]",
        rich=True,
        ragCitations=CITATIONS,
        answerProvenance={"origin": "mind_knowledge", "sourcePolicy": "auto", "retrievalChunksFound": 4, "more": {}},
    )

    async with connect(api, ADA, era) as client:
        result = await client.call_tool(TOOL, {"sparkId": ID, "message": "What matters?"})

    assert result.structured_content == {
        "sparkId": ID,
        "sparkName": "Ada Lovelace",
        "message": "Loops matter [1][2]. They repeat [1].",
        "citations": [
            {"index": 1, "title": "Letters", "link": None, "page": None, "snippet": None, "similarity": 0.71},
            {
                "index": 2,
                "title": "example.com",
                "link": "https://example.com/notes",
                "page": 3,
                "snippet": "Note G",
                "similarity": None,
            },
        ],
        "provenance": {
            "engine": "offline",
            "origin": "mind_knowledge",
            "sourcePolicy": "auto",
            "passagesFound": 4,
            "unsupported": None,
            "explanation": (
                "It stands on the persona's own knowledge. "
                "It was put together by the offline engine, which quotes and does not reason."
            ),
        },
    }
    assert text_of(result) == (
        f"Ada Lovelace [id {ID}] says:\n\n"
        "Loops matter [1][2]. They repeat [1].\n\n"
        'Sources:\n[1] Letters\n[2] example.com, page 3 https://example.com/notes\n    "Note G"\n\n'
        "It stands on the persona's own knowledge. "
        "It was put together by the offline engine, which quotes and does not reason."
    )


async def test_an_answer_with_documented_fields_only_is_enough(api: FakeApi) -> None:
    async with connect(api, ADA) as client:
        result = await client.call_tool(TOOL, {"sparkName": "Ada Lovelace", "message": "Good day?"})

    assert result.structured_content == {
        "sparkId": ID,
        "sparkName": "Ada Lovelace",
        "message": "Good day.",
        "citations": [],
        "provenance": None,
    }
    assert text_of(result) == f"Ada Lovelace [id {ID}] says:\n\nGood day."


@pytest.mark.requirement("seed:gateway:talk-by-name")
@pytest.mark.parametrize("name", ["Ada Lovelace", "ada lovelace", "Ada Lovelase", "Lovelace Ada"])
async def test_a_name_is_enough_when_it_is_clear_who_is_meant(api: FakeApi, name: str) -> None:
    async with connect(api, ADA) as client:
        result = await client.call_tool(TOOL, {"sparkName": name, "message": "Hello"})

    assert (result.structured_content or {})["sparkId"] == ID
    assert len(api.sent(SAYS)) == 1


async def test_an_unclear_name_is_answered_with_the_names_that_could_be_meant(api: FakeApi) -> None:
    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkName": "Alan", "message": "Hello"}))

    assert error["code"] == "not_found"
    assert error["message"] == ('no AI persona named "Alan". Did you mean "Alan Kay", "Alan Turing" or "Ada Lovelace"?')
    assert error["suggestions"] == ["Alan Kay", "Alan Turing", "Ada Lovelace"]


async def test_two_personas_of_one_name_are_told_apart_by_their_ids(api: FakeApi) -> None:
    twins = [{**summary("Ada"), "id": id_of(which)} for which in ("first", "second")]
    api.answers["GET /minds"] = listing(twins)

    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkName": "Ada", "message": "Hello"}))

    assert error["code"] == "ambiguous"
    assert error["suggestions"] == [f"Ada (id {id_of('first')})", f"Ada (id {id_of('second')})"]


async def test_a_near_miss_of_two_equal_names_offers_their_ids(api: FakeApi) -> None:
    twins = [{**summary("Ada Lovelace"), "id": id_of(which)} for which in ("first", "second")]
    api.answers["GET /minds"] = listing(twins)

    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkName": "Ada Lovelase", "message": "Hello"}))

    assert error["code"] == "not_found"
    assert f"Ada Lovelace (id {id_of('first')})" in error["suggestions"]


@pytest.mark.requirement("seed:gateway:talk-by-id")
async def test_the_id_wins_over_the_name(api: FakeApi) -> None:
    async with connect(api, ADA) as client:
        result = await client.call_tool(TOOL, {"sparkId": ID, "sparkName": "Grace Hopper", "message": "Hello"})

    assert (result.structured_content or {})["sparkId"] == ID
    assert api.sent("GET /minds") == []


async def test_the_history_goes_before_the_message(api: FakeApi) -> None:
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day."}]

    async with connect(api, ADA) as client:
        timed = [{**turn, "timestamp": 1} for turn in history]  # what clients add is left out
        await client.call_tool(TOOL, {"sparkId": ID, "message": "And now?", "conversationHistory": timed})

    assert api.sent_json(SAYS) == [{"messages": [*history, {"role": "user", "content": "And now?"}]}]


async def test_a_message_that_already_ends_the_history_is_said_once(api: FakeApi) -> None:
    history = [{"role": "user", "content": "Hello"}]

    async with connect(api, ADA) as client:
        await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello", "conversationHistory": history})

    assert api.sent_json(SAYS) == [{"messages": history}]


@pytest.mark.parametrize("era", ERAS)
async def test_a_persona_in_training_says_how_far_it_is(api: FakeApi, era: Era) -> None:
    api.answers[SAYS] = refused(409, "SPARK_NOT_READY", mindId=ID, trainingStatus="running")
    api.answers[f"GET /minds/{ID}/training"] = Reply(training("running", stage="index", progress=70))

    async with connect(api, ADA, era) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"}))

    assert error["code"] == "not_ready"
    assert "training is running (70%): what it read is being indexed." in error["message"]
    assert "check_ai_persona_training_progress" in error["message"]
    assert (error["trainingStatus"], error["stage"], error["progress"]) == ("running", "index", 70)


async def test_not_ready_is_said_even_when_the_training_cannot_be_asked(api: FakeApi) -> None:
    api.answers[SAYS] = refused(409, "SPARK_NOT_READY", trainingStatus="queued")
    api.answers[f"GET /minds/{ID}/training"] = refused(500)

    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"}))

    assert (error["code"], error["trainingStatus"]) == ("not_ready", "queued")


async def test_a_persona_whose_training_failed_says_what_to_do(api: FakeApi) -> None:
    api.answers[SAYS] = refused(409, "SPARK_NOT_READY", trainingStatus="failed")
    api.answers[f"GET /minds/{ID}/training"] = Reply(failed("COLLECTION_FAILED"))

    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"}))

    assert error["code"] == "not_ready"
    assert "None of its sources could be read. Check that the link is public" in error["message"]


@pytest.mark.requirement("seed:gateway:utility-validation")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"message": "Hello"}, "sparkId or sparkName is required"),
        ({"message": "Hello", "sparkName": " "}, "sparkId or sparkName is required"),
        ({"message": "Hello", "sparkId": None, "sparkName": None}, "sparkId or sparkName is required"),
        ({"sparkId": ID}, "message is required"),
        ({"sparkId": ID, "message": " \n"}, "message: string should have at least 1"),
        ({"sparkId": ID, "message": "x" * 10_001}, "message: string should have at most 10000"),
        ({"sparkId": ID, "message": "a\x00b"}, "message: must be plain text"),
        ({"sparkId": "ada", "message": "Hello"}, "sparkId: must be a UUID"),
        ({"sparkName": "a\nb", "message": "Hello"}, "sparkName: must be one line"),
        (
            {"sparkId": ID, "message": "Hello", "conversationHistory": [{"role": "system", "content": "x"}]},
            "conversationHistory.0.role: input should be 'user' or 'assistant'",
        ),
        (
            {"sparkId": ID, "message": "Hello", "conversationHistory": [{"role": "user", "content": "x"}] * 51},
            "conversationHistory: list should have at most 50",
        ),
        ({"sparkId": ID, "message": "Hello", "conversationHistory": ["x"]}, "conversationHistory.0: "),
    ],
)
async def test_wrong_arguments_are_named_and_nothing_is_asked(
    api: FakeApi, arguments: dict[str, Any], said: str
) -> None:
    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, arguments))

    assert error["code"] == "invalid_arguments"
    assert said in error["message"]
    assert api.asked == []


async def test_a_long_message_with_line_breaks_and_any_script_is_sent_as_it_is(api: FakeApi) -> None:
    message = "Zeile 1\n\tZeile 2 - 日本語 🤖 " + "x" * 9_000

    async with connect(api, ADA) as client:
        await client.call_tool(TOOL, {"sparkId": ID, "message": message})

    assert api.sent_json(SAYS)[0]["messages"][0]["content"] == message


@pytest.mark.requirement("seed:gateway:tool-answers-error")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (refused(404), "not_found"),
        (refused(403), "not_found"),
        (refused(403, "PLAN_LIMIT", limitType="responses", limit=100), "plan_limit"),
        (refused(402, "MARKETPLACE_ADDON_REQUIRED"), "plan_limit"),
        (refused(400), "refused"),
        (refused(409), "conflict"),
    ],
)
async def test_what_the_model_can_put_right_comes_back_as_a_failed_call(api: FakeApi, answer: Reply, code: str) -> None:
    api.answers[SAYS] = answer

    async with connect(api, ADA) as client:
        error = failure_of(await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"}))

    assert error["code"] == code
    assert "SELECT" not in error["message"]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (refused(401), "AUTHENTICATION_REQUIRED"),
        (refused(403, "INSUFFICIENT_SCOPE", required=["sparks:chat"]), "PERMISSION_DENIED"),
        (refused(429), "RATE_LIMIT_EXCEEDED"),
        (refused(500), "SERVICE_UNAVAILABLE"),
        (refused(503, "USAGE_METERING_UNAVAILABLE"), "SERVICE_UNAVAILABLE"),
        (Reply({"messageId": "msg_1"}), "SERVICE_UNAVAILABLE"),
        (Reply({"messageId": "msg_1", "content": "  "}), "SERVICE_UNAVAILABLE"),
        (Reply(b"<html>"), "SERVICE_UNAVAILABLE"),
    ],
)
async def test_what_the_model_cannot_help_is_a_protocol_error(api: FakeApi, answer: Reply, name: str) -> None:
    api.answers[SAYS] = answer

    async with connect(api, ADA) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"})

    assert refusal.value.data["code"] == name
    assert "SELECT" not in refusal.value.message


async def test_a_link_that_is_not_of_the_web_is_not_passed_on(api: FakeApi) -> None:
    source = {"id": "a", "displaySource": "x", "rawLink": "javascript:alert(1)"}
    api.answers[SAYS] = completion("Hello [[CITE:0]]", ragCitations=[source])

    async with connect(api, ADA) as client:
        result = await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"})

    assert (result.structured_content or {})["citations"][0]["link"] is None
    assert "javascript" not in text_of(result)


@pytest.mark.requirement("seed:gateway:talk-needs-auth")
@pytest.mark.parametrize(("era", "code"), [("auto", 401), ("legacy", -32001)])
async def test_an_anonymous_call_is_refused_before_the_api_is_asked(api: FakeApi, era: Era, code: int) -> None:
    async with connect(api, ANONYMOUS, era) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, {"sparkId": ID, "message": "Hello"})

    assert refusal.value.code == code
    assert api.asked == []

"""A person says what an answer counts as: the embedded API keeps it, a real one cannot, which is said."""

from typing import Any

import pytest

from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import answer, asked, audience, id_of, output, study, told
from tests.support import FakeApi, Reply, failure_of, text_of

TOOL = "code_answer"
ID = id_of("Pricing")
MESSAGE = id_of("told Why?")
GROUPS = (audience("Owners", "Mia", "Ben", "Zoe"),)
CODES = f"PUT /studies/{ID}/messages/{MESSAGE}/codes"
ASKED = {"panelId": ID, "questionId": MESSAGE}


@pytest.fixture(autouse=True)
def panel(api: FakeApi) -> None:
    given = {"Owners": [answer("Mia", "9"), answer("Ben", "7 or 8"), answer("Zoe", "N/A")]}
    messages = [asked("Why?"), told("Why?", output("Why?", given))]
    api.answers[f"GET /studies/{ID}"] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})
    api.answers[CODES] = Reply({"status": "answered"})


@pytest.mark.parametrize(
    ("persona", "value", "sent"),
    [("ben", "8/10", "8"), (id_of("Ben"), "eight", "8"), ("Zoe", "2", "2"), ("Ben", None, None), ("Mia", "8", "8")],
)
async def test_the_value_is_kept_as_answers_have_it(
    api: FakeApi, persona: str, value: str | None, sent: str | None
) -> None:
    result = await called(api, TOOL, **ASKED, persona=persona, value=value)

    name = persona if persona in {"Zoe", "Mia"} else "Ben"
    assert api.sent_json(CODES) == [{"mindId": id_of(name), "value": sent}]
    told = result.structured_content
    assert (told["persona"], told["value"], told["said"]) == (
        name,
        sent,
        {"Zoe": "I say N/A.", "Ben": "I say 7 or 8.", "Mia": "I say 9."}[name],
    )
    assert f"> {told['said']}" in text_of(result)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"persona": "Ben", "value": "11"}, "invalid_arguments"),
        ({"persona": "Ben", "value": "7 or 8"}, "invalid_arguments"),
        ({"persona": "Ben", "value": "7.5"}, "invalid_arguments"),
        ({"persona": "Eve", "value": "8"}, "not_found"),
        ({"persona": "Ben", "value": "8", "questionId": "nothing"}, "not_found"),
    ],
)
async def test_a_value_that_the_question_does_not_take_and_an_unknown_persona_are_refused(
    api: FakeApi, change: dict[str, Any], code: str
) -> None:
    result = await called(api, TOOL, **{**ASKED, **change})

    assert failure_of(result)["code"] == code
    assert not api.sent(CODES)


@pytest.mark.parametrize("status", [404, 405])
async def test_an_api_that_keeps_no_codes_is_said_to_keep_none(api: FakeApi, status: int) -> None:
    api.answers[CODES] = Reply({"statusCode": status}, status)

    result = await called(api, TOOL, **ASKED, persona="Ben", value="8")

    assert failure_of(result)["code"] == "invalid_arguments"
    assert "embedded" in text_of(result)


async def test_who_coded_an_answer_and_when_is_shown_with_it(api: FakeApi) -> None:
    api.answers[f"GET /studies/{ID}/messages/{MESSAGE}/answers"] = Reply({"statusCode": 404}, 404)
    coded = answer("Ben", "8", "N/A", coded={"by": "user-1", "at": "2026-11-20T09:00:00.000Z"}, status="answered")
    messages = [asked("Why?"), told("Why?", output("Why?", {"Owners": [coded]}))]
    api.answers[f"GET /studies/{ID}"] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})

    result = await called(api, "get_panel_results", panelId=ID)

    (question,) = result.structured_content["questions"]
    assert (question["overall"]["n"], question["overall"]["declined"]) == (1, 0)
    assert question["answers"][0]["coded"] == "user-1, 2026-11-20T09:00:00.000Z"


async def test_a_part_of_a_name_is_enough_where_it_is_nobody_else_s(api: FakeApi) -> None:
    given = {"Owners": [answer("Mia Berg", "9"), answer("Mia Lund", "N/A")]}
    panel = study("Pricing", audience("Owners", "Mia Berg", "Mia Lund"))
    messages = [asked("Why?"), told("Why?", output("Why?", given))]
    api.answers[f"GET /studies/{ID}"] = Reply({"data": {**panel, "messages": messages}})

    result = await called(api, TOOL, **ASKED, persona="lund", value="8")
    refusal = failure_of(await called(api, TOOL, **ASKED, persona="Mia", value="8"))

    assert result.structured_content["persona"] == "Mia Lund"
    assert "Mia Berg" in refusal["message"]
    assert "Mia Lund" in refusal["message"]


async def test_a_value_between_two_steps_is_refused_with_what_the_scale_takes(api: FakeApi) -> None:
    refusal = failure_of(await called(api, TOOL, **ASKED, persona="Ben", value="7.5"))

    assert "whole numbers from 1 to 10" in refusal["message"]

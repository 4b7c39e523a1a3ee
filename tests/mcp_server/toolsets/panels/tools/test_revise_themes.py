"""Themes are changed where answers are coded, as the user names them; elsewhere it is said why not."""

from typing import Any

import pytest

from tests.mcp_server.toolsets.panels.tools.client import called
from tests.mcp_server.toolsets.panels.world import answer, asked, audience, id_of, output, study, told
from tests.support import FakeApi, Reply, failure_of, text_of

TOOL = "revise_themes"
ID = id_of("Pricing")
READ = f"GET /studies/{ID}"
MESSAGE = id_of("told Why?")
REVISE = f"POST /studies/{ID}/messages/{MESSAGE}/codebook"
GROUPS = (audience("Owners", "Mia", "Ben", "Zoe"),)


def coded(label: str, **more: Any) -> dict[str, Any]:
    """Three answers with one theme, whose id begins with a digit as ids may."""
    answers = [
        answer(name, "Dear", f"{name} says it is dear{extra}", codes=[{"id": "3a", "label": label, "quote": "dear"}])
        for name, extra in (("Mia", ""), ("Ben", " and slow"), ("Zoe", ""))
    ]
    ids = {"3a": label, "b": "Speed", "other": "Other"}
    codebook = [{"id": one, "label": name, "originalLabels": [name]} for one, name in ids.items()]
    extras = {"categoryCodebook": codebook, "codebookMethod": "model", **more}
    return {**output("Why?", {"Owners": answers}, type="qualitative"), **extras}


def serve(api: FakeApi, result: dict[str, Any]) -> None:
    messages = [asked("Why?"), told("Why?", result)]
    api.answers[READ] = Reply({"data": {**study("Pricing", *GROUPS), "messages": messages}})


async def revised(api: FakeApi, action: str, *themes: str, **more: Any) -> Any:
    return await called(api, TOOL, panelId=ID, questionId=MESSAGE, action=action, themes=list(themes), **more)


async def test_a_theme_is_named_as_people_write_it_and_the_figures_are_those_of_the_new_themes(api: FakeApi) -> None:
    serve(api, coded("Price"))
    change = {"at": "2026-11-20T09:00:00.000Z", "by": id_of("me"), "what": "Renamed “Price” into “Cost”"}
    api.answers[REVISE] = Reply({"messageId": MESSAGE, "outputData": coded("Cost", codebookChanges=[change])})

    result = await revised(api, "rename", " price ", label="Cost", definition="What it costs.")

    assert api.sent_json(REVISE)[-1] == {
        "action": "rename",
        "themes": ["3a"],
        "label": "Cost",
        "definition": "What it costs.",
    }
    structured = result.structured_content
    assert [(theme["label"], theme["count"]) for theme in structured["result"]["themes"]] == [("Cost", 3)]
    assert "into “Cost”" in structured["message"]
    assert "Cost" in text_of(result)


async def test_a_label_that_another_theme_has_is_refused_with_what_to_do(api: FakeApi) -> None:
    serve(api, coded("Price"))

    failure = failure_of(await revised(api, "rename", "Price", label=" speed"))

    assert failure["code"] == "invalid_arguments"
    assert "merge" in failure["message"]
    assert api.sent(REVISE) == []


@pytest.mark.parametrize("chosen", [{"answers": ["ben"]}, {"words": ["SLOW"]}, {"answers": [id_of("Ben")]}])
async def test_a_split_moves_the_answers_of_persons_or_with_words(api: FakeApi, chosen: dict[str, Any]) -> None:
    serve(api, coded("Price"))
    api.answers[REVISE] = Reply({"messageId": MESSAGE, "outputData": coded("Price")})

    await revised(api, "split", "Price", label="Slow", **chosen)

    sent = api.sent_json(REVISE)[-1]
    assert (sent["mindIds"], sent.get("words")) == ([id_of("Ben")], chosen.get("words"))


@pytest.mark.parametrize(
    ("action", "themes", "more"),
    [
        ("rename", ["Weather"], {"label": "X"}),
        ("rename", ["Price"], {}),
        ("rename", ["Price", "Speed"], {"label": "X"}),
        ("merge", ["Price"], {}),
        ("merge", ["Price", "price"], {"label": "X"}),
        ("split", ["Price"], {"label": "X", "words": ["nobody said this"]}),
        ("split", ["Price"], {"label": "X", "words": ["dear"]}),
        ("split", ["Price"], {"label": "X", "answers": ["Mia", "Eve"]}),
        ("merge", ["Price", "Other"], {"label": "X"}),
        ("rename", ["Other"], {"label": "X"}),
        ("rename", ["Price"], {"label": "other"}),
    ],
)
async def test_what_cannot_be_is_refused_before_anything_is_sent(
    api: FakeApi, action: str, themes: list[str], more: dict[str, Any]
) -> None:
    serve(api, coded("Price"))

    refused = await revised(api, action, *themes, **more)

    assert failure_of(refused)["code"] == ("not_found" if "answers" in more else "invalid_arguments")
    assert api.sent(REVISE) == []


async def test_that_nothing_is_merged_into_other_is_said_with_what_can_be_merged(api: FakeApi) -> None:
    serve(api, coded("Price"))

    refusal = failure_of(await revised(api, "merge", "Price", "Other"))

    assert all(named in refusal["message"] for named in ('"Price"', '"Speed"', "code_answer"))


async def test_where_the_model_failed_it_is_said_with_the_way_on(api: FakeApi) -> None:
    failure = {"reason": "llm_failed_503", "llmHost": "llm.example"}
    serve(api, coded("Price", codebookMethod=None, codingFailure=failure))

    said = failure_of(await revised(api, "rename", "Price", label="Cost"))["message"]

    assert "llm.example answers 503" in said
    assert "asking the same question again" in said
    assert "keeps no codes" not in said


async def test_an_api_without_codes_is_said_to_have_none(api: FakeApi) -> None:
    serve(
        api, output("Why?", {"Owners": [answer(name, "Price") for name in ("Mia", "Ben", "Zoe")]}, type="qualitative")
    )

    refused = await revised(api, "rename", "Price", label="Cost")

    assert failure_of(refused)["code"] == "invalid_arguments"
    assert "keeps no codes" in text_of(refused)

"""Clients with a language model of their own, which answers for personas that have none."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.journeys.clients import PythonClient, python_over_http, python_over_stdio, stdio_command, stdio_environment
from tests.journeys.gateway import Gateway
from tests.journeys.story import trained

ASKS = (("http", "auto"), ("stdio", "legacy"), ("stdio", "auto"))


class Model:
    """What the client's model is asked, and what it says: 8 of 10 with a source, or a sentence with one."""

    def __init__(self, *, refuses: bool = False, is_mute: bool = False) -> None:
        self.asked: list[types.CreateMessageRequestParams] = []
        self._refuses, self.is_mute = refuses, is_mute

    async def reply(self, _context: Any, asked: types.CreateMessageRequestParams) -> Any:
        self.asked.append(asked)
        if self._refuses:
            return types.ErrorData(code=-1, message="The user does not want that.")
        is_survey = "JSON" in (asked.system_prompt or "")
        answer = {"reason": "The early hours are worth it [1].", "answer": 8}
        said = json.dumps(answer) if is_survey else "I begin at four, with the dough of yesterday [1]."
        said = "" if self.is_mute else said
        content = types.TextContent(type="text", text=said)
        return types.CreateMessageResult(role="assistant", content=content, model="host-model-1")


@asynccontextmanager
async def connected(
    gateway: Gateway, folder: Path, transport: str, era: str, model: Model
) -> AsyncIterator[PythonClient]:
    if transport == "http":
        async with python_over_http(gateway.url, gateway.alice, era, model.reply) as client:
            yield client
        return
    program, arguments = stdio_command()
    variables = stdio_environment(gateway, gateway.alice)
    async with python_over_stdio(program, arguments, variables, folder, era, model.reply) as client:
        yield client


async def baker(client: PythonClient, name: str) -> str:
    text = "Works as a baker. Begins at four in the morning, with the dough that rested since yesterday."
    about = {"name": name, "mode": "keywords", "keywords": ["bakery"], "personaContext": text}
    made = await client.call("create_ai_persona_or_digital_twin", about)
    await trained(client, made["sparkId"])
    return str(made["sparkId"])


@pytest.mark.parametrize(("transport", "era"), ASKS)
async def test_the_clients_model_answers_for_a_persona_and_for_a_panel_and_is_named(
    gateway: Gateway, tmp_path: Path, transport: str, era: str
) -> None:
    model = Model()
    async with connected(gateway, tmp_path, transport, era, model) as client:
        sparks = [await baker(client, f"{name} {transport} {era}") for name in ("Bea", "Cem", "Dov")]
        talk = await client.call("talk_to_ai_persona", {"sparkId": sparks[0], "message": "When do you begin to work?"})
        (asked,) = model.asked
        panel = f"Bakers {transport} {era}"
        await client.call("create_panel", {"name": panel, "groupConfigs": [{"name": "All", "sparkIds": sparks}]})
        question = "On a scale of 1 to 10, how happy are you with your hours?"

        told = await client.call("ask_panel", {"panelName": panel, "question": question})

    assert talk["provenance"]["engine"] == "client-sampling:host-model-1"
    assert talk["message"].startswith("I begin at four, with the dough of yesterday")
    assert [source["snippet"] for source in talk["citations"]]
    assert "four in the morning" in (asked.system_prompt or "")
    content = asked.messages[-1].content
    assert isinstance(content, types.TextContent)
    assert content.text == "When do you begin to work?"
    assert told["result"]["overall"]["scale"]["mean"] == 8
    assert told["result"]["overall"]["n"] == 3
    assert told["result"]["engine"] == "client-sampling:host-model-1"
    assert len(model.asked) == 1 + 3


async def test_a_client_is_asked_no_more_than_the_setting_says_and_the_result_tells(
    gateway: Gateway, tmp_path: Path
) -> None:
    model = Model()
    program, arguments = stdio_command()
    variables = {**stdio_environment(gateway, gateway.alice), "LLM_SAMPLING": "2"}
    async with python_over_stdio(program, arguments, variables, tmp_path, "auto", model.reply) as client:
        sparks = [await baker(client, f"{name} of three") for name in ("Gil", "Hal", "Ida")]
        await client.call("create_panel", {"name": "Three", "groupConfigs": [{"name": "All", "sparkIds": sparks}]})

        told = await client.call("ask_panel", {"panelName": "Three", "question": "How happy are you, from 1 to 10?"})

    overall = told["result"]["overall"]
    assert len(model.asked) == 2
    assert (overall["n"], overall["failed"], overall["members"]) == (2, 1, 3)
    (said,) = [one["message"] for one in told["result"]["caveats"] if one["code"] == "failed"]
    assert "LLM_SAMPLING" in said
    assert told["result"]["engine"] == "client-sampling:host-model-1 (2 of 3)"


async def test_a_study_and_its_follow_up_are_answered_by_the_clients_model(gateway: Gateway, tmp_path: Path) -> None:
    model = Model()
    async with connected(gateway, tmp_path, "http", "auto", model) as client:
        sparks = [await baker(client, f"{name} of the study") for name in ("Jan", "Kim")]
        await client.call("create_panel", {"name": "Study", "groupConfigs": [{"name": "All", "sparkIds": sparks}]})
        questions = [
            {"question": "How happy are you, from 1 to 10?"},
            {"question": "What do you like about the hours?"},
        ]

        told = await client.call("ask_panel", {"panelName": "Study", "questions": questions})
        low = {"questionId": told["earlier"][0]["questionId"], "answered": "8"}
        again = await client.call("ask_panel", {"panelName": "Study", "question": "Why?", "followUp": low})

    assert [one["overall"]["n"] for one in (*told["earlier"], told["result"], again["result"])] == [2, 2, 2]
    assert {one["engine"] for one in (*told["earlier"], told["result"], again["result"])} == {
        "client-sampling:host-model-1"
    }
    assert len(model.asked) == 6
    assert "My answer: 8" in str(model.asked[-1].messages)


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy")])
async def test_what_the_client_refuses_is_answered_offline(
    gateway: Gateway, tmp_path: Path, transport: str, era: str
) -> None:
    model = Model(refuses=True)
    async with connected(gateway, tmp_path, transport, era, model) as client:
        spark = await baker(client, "Eva who is refused")

        told = await client.call("talk_to_ai_persona", {"sparkId": spark, "message": "When do you begin to work?"})

    assert told["provenance"]["engine"] == "offline"
    assert "model of your app was asked" in told["provenance"]["explanation"]
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("model", "transport", "era"),
    [(Model(refuses=True), "stdio", "legacy"), (Model(is_mute=True), "http", "auto")],
    ids=["refuses", "mute"],
)
async def test_where_the_clients_model_answers_for_nobody_all_have_failed_and_the_result_says_that_it_was_asked(
    gateway: Gateway, tmp_path: Path, model: Model, transport: str, era: str
) -> None:
    async with connected(gateway, tmp_path, transport, era, model) as client:
        sparks = [await baker(client, f"{name} {model.is_mute}") for name in ("Leo", "Mia")]
        panel = f"Refused {model.is_mute}"
        await client.call("create_panel", {"name": panel, "groupConfigs": [{"name": "All", "sparkIds": sparks}]})

        told = await client.call("ask_panel", {"panelName": panel, "question": "How happy are you, from 1 to 10?"})

    overall = told["result"]["overall"]
    assert (overall["n"], overall["declined"], overall["failed"]) == (0, 0, 2)
    (said,) = [one["message"] for one in told["result"]["caveats"] if one["code"] == "failed"]
    assert "was asked" in said
    assert "LLM_SAMPLING" not in said
    assert told["result"]["engine"] == "offline (client-sampling: 0 of 2)"
    assert len(model.asked) == 2


async def test_where_only_a_personas_own_text_answers_the_result_is_an_offline_one_that_says_that_the_model_was_asked(
    gateway: Gateway, tmp_path: Path
) -> None:
    async with connected(gateway, tmp_path, "stdio", "legacy", Model(refuses=True)) as client:
        sparks = [await baker(client, f"{name} without a word") for name in ("Ned", "Oda")]
        about = {"name": "Pia", "mode": "clone", "personaContext": "I rate the lido 4 out of 10."}
        made = await client.call("create_ai_persona_or_digital_twin", about)
        await trained(client, made["sparkId"])
        group = {"name": "All", "sparkIds": [*sparks, made["sparkId"]]}
        await client.call("create_panel", {"name": "Lido", "groupConfigs": [group]})
        question = "On a scale of 1 to 10, how do you rate the lido?"

        told = await client.call("ask_panel", {"panelName": "Lido", "question": question})

    assert told["result"]["engine"] == "offline (client-sampling: 0 of 3)"
    assert told["result"]["overall"]["value"].startswith("1 of 3 had something on this: 4")
    notes = {one["code"]: one["message"] for one in told["result"]["caveats"]}
    assert "offline engine answered" in notes["offline_engine"]
    assert "was asked, and wrote none of the answers" in notes["client_model"]


async def test_a_client_that_cannot_be_asked_is_not(gateway: Gateway, tmp_path: Path) -> None:
    model = Model()
    async with connected(gateway, tmp_path, "http", "legacy", model) as client:
        spark = await baker(client, "Fay over http")

        told = await client.call("talk_to_ai_persona", {"sparkId": spark, "message": "When do you begin to work?"})

    assert (told["provenance"]["engine"], model.asked) == ("offline", [])

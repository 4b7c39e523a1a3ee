"""A researcher's study by tools: personas from a table, an estimate, questions, segments, follow-up, rerun."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from mcp.types import CallToolResult
from openpyxl import load_workbook
from pypdf import PdfReader
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.coding import Code, Coded, Coding
from app.internal_api.engines.engine import SurveyAnswer, SurveyQuestion
from app.internal_api.knowledge.documents import Passage
from app.internal_api.store.minds import Mind
from mcp_server.toolset import discover
from tests.app.internal_api.panels.test_codebook_in_use import Bearer
from tests.app.internal_api.support import FakeEngine, World
from tests.support import ADA, failure_of, serve, text_of

PEOPLE = 60
TABLE = "name,keywords,role,region\n" + "".join(
    f"Guest {number:03},cafés;quiet,{('owner', 'guest')[number % 2]},{('North', 'South')[number % 4 < 2]}\n"
    for number in range(PEOPLE)
)
RATING, CHOICE = "On a scale of 1 to 10, how do you rate the café?", "Which of these: tea, coffee or water?"
OPEN = "What should the café change?"
STUDY = [{"question": RATING}, {"question": CHOICE}, {"question": OPEN, "questionType": "qualitative"}]
SAID = ("Quiet corners, please.", "Lower prices, please.", "More light, please.")


@dataclass
class Guests(FakeEngine):
    """Each answers by its number; who is asked the same again answers otherwise every tenth time."""

    seen: set[tuple[str, str]] = field(default_factory=set)
    reminded: list[str] = field(default_factory=list)

    async def survey(self, persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        number, again = int(persona.name[-3:]), (persona.name, question.text) in self.seen
        self.seen.add((persona.name, question.text))
        if question.earlier:
            self.reminded.append(persona.name)
        if question.scale:
            value = str(1 + (number + (again and number % 10 == 0)) % 10)
        else:
            value = question.options[number % 3] if question.options else SAID[number % 3].split(",")[0]
        said = SAID[number % 3] if question.type == "qualitative" else f"I say {value}."
        return SurveyAnswer(value, value, said, tuple(passages[:1]), "mind_personality", self.name, len(passages))

    async def code(
        self, _question: str, texts: Mapping[str, str], known: Sequence[Code], _examples: Mapping[str, Sequence[str]]
    ) -> Coded | None:
        codes = tuple(known) or tuple(Code(f"c{place}", said.split(",")[0]) for place, said in enumerate(SAID))
        codings = {mind: Coding({f"c{SAID.index(text)}": text.split(",")[0]}, "agrees") for mind, text in texts.items()}
        return Coded(codes, codings, "model")


@pytest.mark.slow
async def test_a_study_is_made_asked_cut_followed_up_revised_compared_and_exported(  # noqa: PLR0915  one conversation
    engine: AsyncEngine,
) -> None:
    people = Guests()
    world = World(engine, persona_engine=people)
    api = world.api()
    network = httpx2.ASGITransport(app=api.app)
    tools = discover(["personas", "panels"])
    async with api.lifespan(), serve(network, tools, credentials=Bearer()) as gateway, gateway.connect(ADA) as client:

        async def call(tool: str, **more: Any) -> dict[str, Any]:
            result: CallToolResult = await client.call_tool(tool, more)
            assert not result.is_error, text_of(result)
            return dict(result.structured_content or {})

        made = await call("create_personas", csv=TABLE, group="Guests")
        async with asyncio.timeout(120):
            while True:
                listed = await call("list_my_ai_personas")
                if {row["status"] for row in listed["personas"]} == {"completed"}:
                    break
                await asyncio.sleep(0.5)
        panel = {"panelId": (await call("create_panel", name="Café", groupIds=[made["groupId"]]))["panelId"]}

        estimate = await call("ask_panel", questions=STUDY, estimateOnly=True, **panel)
        await call("ask_panel", questions=STUDY, **panel)
        while True:
            shown = (await call("get_panel_results", **panel))["questions"]
            if [one["status"] for one in shown] == ["completed"] * 3:
                break
            await asyncio.sleep(0.5)
        ids = {one["question"]: one["questionId"] for one in shown}

        cut = (await call("get_panel_results", questionId=ids[RATING], by=["region"], **panel))["questions"][0]
        low = {"questionId": ids[RATING], "answered": "1-2"}
        why = await call("ask_panel", question="Why so low?", followUp=low, **panel)
        one = await call(
            "ask_panel", question="Why?", followUp={**low, "answered": None, "persona": "Guest 007"}, **panel
        )
        nobody = await client.call_tool(
            "ask_panel", {"question": "Why?", "followUp": {**low, "answered": "99"}, **panel}
        )
        themes = [theme["label"] for theme in shown[0]["themes"]]
        merge = {"action": "merge", "themes": themes[:2], "label": "Comfort"}
        revised = await call("revise_themes", questionId=ids[OPEN], **merge, **panel)
        rerun = await call("ask_panel", question=RATING, **panel)
        compared = await call("get_panel_results", questionId=rerun["questionId"], compareWith=ids[RATING], **panel)
        for form in ("json", "csv", "md", "xlsx", "pdf"):
            await call("export_panel", format=form, **panel)
        files = {name.rpartition(".")[2]: content for name, _, content in gateway.files.published.values()}

    assert (len(made["created"]), made["faults"], made["left"]) == (PEOPLE, [], 0)
    assert (estimate["status"], estimate["estimate"]["answers"], estimate["estimate"]["questions"]) == (
        "estimated",
        3 * PEOPLE,
        3,
    )
    told_of = [(each["question"], each["overall"]["n"]) for each in shown]
    assert told_of == [(one, PEOPLE) for one in (OPEN, CHOICE, RATING)]
    assert [(group["group"], group["n"]) for group in cut["groups"]] == [
        ("region: North", PEOPLE // 2),
        ("region: South", PEOPLE // 2),
    ]
    assert (why["result"]["overall"]["n"], why["total"], one["total"]) == (PEOPLE // 5, PEOPLE // 5, 1)
    assert RATING in why["result"]["question"]
    assert len(set(people.reminded)) == PEOPLE // 5 + 1
    assert failure_of(nobody)["code"] == "invalid_arguments"
    assert "Comfort" in {theme["label"] for theme in revised["result"]["themes"]}
    change = compared["questions"][0]["change"]
    assert (change["n"], change["moved"], change["repeatability"]) == (PEOPLE, PEOPLE // 10, 0.9)

    told = {one["questionId"]: one for one in json.loads(files["json"])["questions"]}
    rows = list(csv.DictReader(io.StringIO(files["csv"].decode("utf-8-sig"))))
    assert len(rows) == sum(len(one["replies"]) for one in told.values()) == PEOPLE * 4 + PEOPLE // 5 + 1
    for text in (
        files["md"].decode(),
        "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(files["pdf"])).pages),
    ):
        assert "Comfort" in text
        assert len(re.findall(rf"\b{PEOPLE}\b", text)) >= 4
    book = load_workbook(io.BytesIO(files["xlsx"]))
    assert len(book.sheetnames) >= 6

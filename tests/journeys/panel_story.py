"""A survey, told through any client: twelve personas from twelve interviews, three groups, four kinds of questions,
and all answers as a file in five formats.
"""

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pypdf

from tests.journeys.clients import PythonClient
from tests.journeys.gateway import INTERVIEWS, Gateway
from tests.journeys.story import PAUSE, Client, trained

QUESTIONS = {
    "scale": "On a scale of 1 to 10, how likely are you to recommend the bicycle hire service to a friend?",
    "categorical": "Which of these matters most when you hire a bicycle: price, reliability or safety?",
    "multiselect": "Which of these should the service improve? Pick up to 2: locks, batteries, app, stations",
    "qualitative": "What would make the bicycle hire service better for you?",
}
STATED = {"scale": 6, "categorical": 6, "multiselect": 5, "qualitative": 5}
"""How many of the interviews state an answer; a persona of one that does not abstains."""
FORMATS = ("json", "csv", "xlsx", "md", "pdf")
SMALL = 10_000

Fetch = Callable[[str], Awaitable[bytes]]
"""The file behind a link that a client was given."""


@dataclass(frozen=True)
class Survey:
    """A panel that was asked, and what it answered to each kind of question."""

    panel_id: str
    name: str
    answers: Mapping[str, dict[str, Any]]


async def personas(client: Client, gateway: Gateway, mark: str) -> dict[str, list[str]]:
    """Twelve trained personas of the interviews by group; their names end with `mark`."""
    root = gateway.document.rpartition("/")[0]
    groups: dict[str, list[str]] = {}
    made = []
    for path in sorted(INTERVIEWS):
        group, _, who = path.strip("/").removesuffix(".txt").partition("-")
        name = f"{who.capitalize()} {mark}"
        created = await client.call(
            "create_ai_persona_or_digital_twin",
            {"name": name, "mode": "link", "contextLink": f"{root}{path}", "type": "user"},
        )
        groups.setdefault(group, []).append(name)
        made.append(created["sparkId"])
    for spark_id in made:
        await trained(client, spark_id)
    return groups


async def survey(client: Client, gateway: Gateway, mark: str) -> Survey:
    """Make the panel by the names of its personas, and ask it one question of each kind."""
    groups = await personas(client, gateway, mark)
    configs = [{"name": name.capitalize(), "sparkNames": members} for name, members in groups.items()]
    panel = await client.call("create_panel", {"name": f"Bicycles {mark}", "groupConfigs": configs})
    assert {group["name"]: len(group["personas"]) for group in panel["groups"]} == dict.fromkeys(
        ("Commuter", "Student", "Retired"), 4
    )
    answers = {}
    for kind, question in QUESTIONS.items():
        answers[kind] = await answered(client, {"panelId": panel["panelId"], "question": question})
    return Survey(panel["panelId"], panel["name"], answers)


async def answered(client: Client, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer, however often it takes to come."""
    answer = await client.call("ask_panel", asked)
    while answer["status"] == "processing":
        await asyncio.sleep(PAUSE)
        answer = await client.call("ask_panel", asked)
    return answer


async def tell(client: Client, gateway: Gateway, mark: str) -> Survey:
    """Assert each answer of the survey."""
    told = await survey(client, gateway, mark)

    for kind, answer in told.answers.items():
        result = answer["result"]
        assert (answer["status"], answer["done"], answer["total"]) == ("completed", 12, 12)
        assert result["type"] == kind
        assert [group["group"] for group in result["groups"]] == ["Commuter", "Retired", "Student"]
        counts = ("n", "declined", "uncoded", "failed")
        assert sum(group[count] for group in result["groups"] for count in counts) == 12
        assert result["overall"]["n"] >= STATED[kind], kind
        assert "synthetic" in [caveat["code"] for caveat in result["caveats"]]
    assert told.answers["scale"]["result"]["scaleRange"] == [1, 10]
    assert {count["value"].lower() for count in told.answers["categorical"]["result"]["overall"]["counts"]} == {
        "price",
        "reliability",
        "safety",
    }
    found = await client.call("get_panel_results", {"panelName": f"bicycles {mark}"})
    assert [one["question"] for one in found["questions"]] == list(QUESTIONS.values())[::-1]
    return told


async def export(client: PythonClient, told: Survey, fetch: Fetch, folder: Path) -> dict[str, Path]:
    """Assert that every format opens and holds every answer; the files by format."""
    files = {}
    for kind in FORMATS:
        result = await client.result("export_panel", {"panelName": told.name, "format": kind})
        assert not result.is_error, result.content
        link = next(block for block in result.content if block.type == "resource_link")
        content = await fetch(str(link.uri))
        assert len(content) == result.structured_content["bytes"]
        files[kind] = folder / result.structured_content["fileName"]
        files[kind].write_bytes(content)
    _assert_csv(files["csv"].read_bytes())
    _assert_json(files["json"].read_bytes())
    _assert_workbook(files["xlsx"])
    assert all(question in files["md"].read_text("utf-8") for question in QUESTIONS.values())
    assert all(len(page.extract_text()) > 0 for page in pypdf.PdfReader(files["pdf"]).pages)
    return files


def _assert_csv(content: bytes) -> None:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))

    assert content.startswith(b"\xef\xbb\xbf")
    assert len(rows) == 1 + 12 * len(QUESTIONS)
    assert {row[0] for row in rows[1:]} == set(QUESTIONS.values())


def _assert_json(content: bytes) -> None:
    text = json.dumps(json.loads(content), ensure_ascii=False)

    assert all(question in text for question in QUESTIONS.values())


def _assert_workbook(path: Path) -> None:
    book = openpyxl.load_workbook(path)

    assert book.sheetnames[0] == "Summary"
    assert len(book.sheetnames) >= 1 + len(QUESTIONS)
    assert path.stat().st_size > SMALL

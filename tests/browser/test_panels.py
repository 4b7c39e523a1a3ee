"""A survey in the browser alone: make a panel, ask it, watch, read, code, export and share; also without scripts."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.language_model import HOSTILE, LanguageModel, answering
from tests.browser.looks import Looks
from tests.browser.pages import Account, follow, press
from tests.edge import LEGACY, messages, request
from tests.journeys.gateway import new_user
from tests.journeys.person import PASSWORD
from tests.processes import HOST, free_port, serving

MALLORY = "Mallory </script><svg onload=alert(1)> 🤡"
NAMES = ("Ann Abel", "Ben Abel", "Cora Abel", "Unclear Ulf", "Nobody Nora", MALLORY)
SCALE = "On a scale of 1 to 10, how likely are you to recommend the bicycle hire?"
CHOICE = "Which matters most: price, reliability or safety?"
OPEN = "What would make the bicycle hire better for you?"
PATIENCE = 60.0
LONG = PATIENCE * 1000  # the same for Playwright
pytestmark = pytest.mark.anyio


@dataclass
class Panelist:
    """An account with personas, and a key of it."""

    account: Account
    url: str
    key: str

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        headers, body = request("tools/call", {"name": tool, "arguments": arguments}, era=LEGACY, key=self.key)
        async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
            (answer,) = messages(await web.post(f"{self.url}/mcp", headers=headers, json=body))
        content: dict[str, Any] = answer["result"]["structuredContent"]
        return content

    async def make_personas(self) -> list[str]:
        rows = [{"name": one, "context": f"{one} rides.", "attributes": {"region": "North"}} for one in NAMES]
        made = await self.call("create_personas", rows=rows)
        trained = False
        async with asyncio.timeout(PATIENCE):
            while not trained:
                told = (await self.call("list_my_ai_personas"))["personas"]
                trained = all(one["status"] == "completed" for one in told)
        return [one["sparkId"] for one in made["created"]]

    async def make_panel(self, name: str) -> str:
        """The path of a new panel of two groups."""
        ids = await self.make_personas()
        groups = [{"name": "Commuters", "sparkIds": ids[:3]}, {"name": "Students", "sparkIds": ids[3:]}]
        return f"/panels/{(await self.call('create_panel', name=name, groupConfigs=groups))['panelId']}"


@pytest.fixture(scope="module")
def model() -> Iterator[LanguageModel]:
    with answering() as answers:
        yield answers


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, model: LanguageModel) -> Iterator[Site]:
    """As everywhere, with a language model."""
    port, folder = free_port(), tmp_path_factory.mktemp("panels")
    own = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var")}
    settings = {**own, "LLM_BASE_URL": model.url, "LLM_MODEL": "test-model"}
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(f"http://{HOST}:{port}", settings, folder)


@pytest.fixture
def ada(site: Site, request: pytest.FixtureRequest) -> Panelist:
    email = f"{request.node.name.replace('_', '-')[:40]}@example.com"
    return Panelist(Account(email, PASSWORD), site.url, new_user(email, site.settings))


def region(page: Page, heading: str) -> Locator:
    """The section of this heading, which may go on with a number."""
    return page.get_by_role("region", name=re.compile(rf"^{re.escape(heading)}( n = \d+)?$"))


async def ask(page: Page, question: str) -> None:
    await page.get_by_label("Question", exact=True).fill(question)
    await press(page, "Ask")


async def test_a_survey_from_the_first_panel_to_the_shared_result(
    page_of: PageOf, open_page: OpenPage, ada: Panelist, model: LanguageModel, looks: Looks, tmp_path: Path
) -> None:
    page = await page_of(ada.account)
    await page.goto("/panels")
    await looks.check(page, "panels-none")
    await follow(page, "New panel")
    await looks.check(page, "panel-new-nobody")
    await ada.make_personas()
    await page.reload()

    await page.get_by_label("Name of the panel").fill("Bicycle hire")
    await region(page, "Group 1").get_by_role("textbox").fill("Commuters")
    for name in NAMES[:3]:
        await page.get_by_label(name).check()
    await press(page, "Add a group")
    second = region(page, "Group 2")
    await second.get_by_role("textbox").fill("Students")
    for name in NAMES[3:]:
        await second.get_by_label(name).check()
    await looks.check(page, "panel-new")
    await press(page, "Create panel")
    await looks.check(page, "panel-new-made")

    await page.get_by_label("Question", exact=True).fill(SCALE)
    await press(page, "Estimate")
    await expect(page.get_by_text("6 answers")).to_be_visible()
    model.go.clear()
    await press(page, "Ask")
    await expect(page.get_by_text("0 of 6 have answered")).to_be_visible()
    await looks.check(page, "question-processing")
    model.go.set()
    await expect(region(page, "Everyone")).to_be_visible(timeout=LONG)
    await expect(page.get_by_text("Only 3 of 6")).to_have_count(0)
    await looks.check(page, "question-scale")

    unread = page.get_by_role("listitem").filter(has_text="Unclear Ulf")
    await unread.locator("summary").click()
    await unread.get_by_label("Counts as").fill("7")
    async with page.expect_navigation():
        await unread.get_by_role("button", name="Save").click()
    await expect(region(page, "Everyone")).to_contain_text("n = 4")

    async with page.expect_download() as download:
        await page.get_by_role("button", name="CSV", exact=True).click()
    file = tmp_path / "answers.csv"
    await (await download.value).save_as(file)
    assert "Unclear Ulf" in file.read_text("utf-8")

    await follow(page, "Share")
    await looks.check(page, "question-share")
    address = (await page.locator("#link").inner_text()).strip()
    reader = await open_page()
    await reader.goto(address)
    await expect(reader.get_by_role("heading", level=1)).to_have_text(SCALE)
    await expect(region(reader, "Everyone")).to_contain_text("n = 4")
    await expect(reader.locator("form")).to_have_count(0)
    await looks.check(reader, "shared")


async def test_an_open_question_with_its_themes_groups_and_segments(
    page_of: PageOf, ada: Panelist, looks: Looks
) -> None:
    page = await page_of(ada.account)
    await page.goto(await ada.make_panel("Open questions"))
    await ask(page, OPEN)
    await expect(region(page, "Themes")).to_be_visible(timeout=LONG)
    await looks.check(page, "question-open")

    await page.locator("summary").filter(has_text="Rename").click()
    await page.get_by_label("New name").first.fill("Wet and angry")
    await press(page, "Rename theme")
    await expect(region(page, "Themes").get_by_role("heading", name="Wet and angry")).to_be_visible()

    await page.get_by_label("Compare by").select_option("region")
    await press(page, "Compare")
    await expect(page.get_by_text("region: North").first).to_be_visible()

    await follow(page, "Open questions")
    await looks.check(page, "panel-full")
    await follow(page, "All panels")
    await looks.check(page, "panels-full")


async def test_many_are_chosen_at_once_and_two_of_one_name_are_told_apart(
    page_of: PageOf, ada: Panelist, looks: Looks
) -> None:
    await ada.make_personas()
    twins = [
        {"name": "Twin", "context": "Rides.", "attributes": {"region": "South", "age": age}} for age in ("40", "50")
    ]
    made = await ada.call("create_personas", rows=twins)
    assert len(made["created"]) == len(twins)
    page = await page_of(ada.account)
    await page.goto("/panels/new")
    group = region(page, "Group 1")
    assert len({await each.inner_text() for each in await group.locator("label", has_text="Twin").all()}) == 2
    await expect(group.locator("output")).to_have_text("0 chosen")

    await group.get_by_label("Filter by name").fill("south twin")
    await group.get_by_role("button", name="Select all shown").click()
    await expect(group.locator("output")).to_have_text("2 chosen, 2 of 8 shown")
    await looks.check(page, "panel-new-filtered")
    await group.get_by_label("Filter by name").fill("nobody is like this")
    await expect(group.get_by_role("button", name="Select all shown")).to_be_disabled()
    await group.get_by_label("Filter by name").fill("twin")
    await group.get_by_role("button", name="Clear all shown").click()
    await expect(group.locator("output")).to_have_text("0 chosen, 2 of 8 shown")
    await group.get_by_role("button", name="Select all shown").click()
    await page.get_by_label("Name of the panel").fill("Twins")
    await group.get_by_role("textbox").first.fill("South")
    await page.get_by_label("Filter by name").press("Enter")  # sends nothing
    await press(page, "Create panel")

    members = region(page, "Groups").get_by_role("listitem").filter(has_text="id …")
    told = await members.last.locator("li").all_inner_texts() or await members.all_inner_texts()
    assert len(set(told)) == len(told) >= 2
    await page.goto("/personas")
    cards = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Twin"))
    assert len({await card.inner_text() for card in await cards.all()}) == 2


async def test_a_choice_is_seen_for_one_group(page_of: PageOf, ada: Panelist, looks: Looks) -> None:
    page = await page_of(ada.account)
    await page.goto(await ada.make_panel("Choices"))
    await page.get_by_label("Kind of answer").select_option("One choice")
    await page.get_by_label("Options, one on each line").fill("price\nsafety")
    await ask(page, "What matters most?")
    await expect(region(page, "Everyone")).to_be_visible(timeout=LONG)
    await looks.check(page, "question-choice")

    await follow(page, "Students")

    await expect(region(page, "Students")).to_be_visible()
    await expect(region(page, "Everyone")).to_have_count(0)


async def test_the_same_without_scripts(page_of: PageOf, ada: Panelist, model: LanguageModel) -> None:
    page = await page_of(ada.account, java_script_enabled=False)
    panel = await ada.make_panel("Without scripts")
    await page.goto(panel)
    model.go.clear()

    await page.get_by_label("Question", exact=True).fill(CHOICE)
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_text("0 of 6 have answered")).to_be_visible(timeout=LONG)
    model.go.set()

    await expect(region(page, "Everyone")).to_be_visible(timeout=LONG)


async def test_what_fails_is_told_in_its_place(page_of: PageOf, ada: Panelist, looks: Looks) -> None:
    page = await page_of(ada.account)
    panel = await ada.make_panel("Failing")
    await page.goto(panel)
    await page.get_by_label("Kind of answer").select_option("Scale")
    await page.get_by_label("Lowest").fill("9")
    await page.get_by_label("Highest").fill("1")

    await ask(page, "How good is it?")

    await expect(page.get_by_role("alert")).to_be_visible()
    await looks.check(page, "panel-refused")
    for path, name in ((f"{panel}/questions/nothing", "question-missing"), ("/shared/nothing", "shared-missing")):
        response = await page.goto(path)
        assert response is not None
        assert response.status == 404
        await looks.check(page, name)


async def test_hostile_names_and_answers_change_nothing_but_text(page_of: PageOf, ada: Panelist) -> None:
    page = await page_of(ada.account)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    panel = await ada.make_panel("Hostile </title><script>alert(1)</script>")
    await page.goto(panel)
    await ask(page, f"{OPEN} </script><svg onload=alert(1)> {'x' * 5_000}")
    await expect(region(page, "Everyone")).to_be_visible(timeout=LONG)

    said = page.locator("bdi").filter(has_text=HOSTILE[-100:])
    await expect(said.first).to_be_attached(timeout=LONG)
    assert HOSTILE in [await one.text_content() for one in await said.all()]
    charts = ".bar, .columns, .mean, .stack, .axis, .swatch"
    assert await page.locator(f"main svg:not({charts}), main script").count() == 0
    assert await page.evaluate(ASTRAY) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.goto(panel)
    assert await page.title() == "\u2068Hostile </title><script>alert(1)</script>\u2069 · Minds"
    assert complaints == []


ASTRAY = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const {data, parentElement} = walker.currentNode;
        if (data.includes('\\u202e') && !parentElement.closest('bdi, option, title')) found.push(data);
    }
    return found;
}"""
"""Texts with a mark that turns the order round which stand where it reaches other texts."""

"""A person makes, teaches, talks to and deletes a persona in a real browser, with scripts and without."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import OpenPage, PageOf, Site
from tests.browser.looks import Looks
from tests.browser.pages import confirm, follow, path, press
from tests.journeys.handbook import ANSWERED, TITLE, handbook
from tests.processes import PATIENCE

DECKHAND = "Deckhand of the Corran ferry"
LONG = "Donaudampfschifffahrtsgesellschaftskapitän " * 2
BOTH = pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("documents") / "handbook.pdf"
    file.write_bytes(handbook())
    return file


async def make(page: Page, document: Path, name: str = DECKHAND) -> None:
    """Fill in the form for a new persona and send it."""
    await page.goto("/personas")
    await page.get_by_role("link", name="New persona").click()
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("Document", exact=True).set_input_files(document)
    await press(page, "Create persona")


async def ask(page: Page, words: str) -> None:
    """Send a message and wait for its answer."""
    before = await page.locator(".assistant").count()
    await page.get_by_label("message").fill(words)
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".assistant")).to_have_count(before + 1, timeout=PATIENCE * 1000)


async def make_from_text(page: Page, name: str, text: str) -> None:
    """A persona that is trained."""
    await page.goto("/personas/new")
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("A text").check()
    await page.get_by_label("Text", exact=True).fill(text)
    await press(page, "Create persona")
    await expect(page.get_by_label("Your message")).to_be_visible(timeout=PATIENCE * 1000)


async def read(page: Page, sources: int, *, scripts: bool) -> None:
    """Wait until so many sources are read; without scripts by the link that is there for it."""
    done = page.get_by_text("Read", exact=True)
    if scripts:
        await expect(done).to_have_count(sources, timeout=PATIENCE * 1000)
        return
    async with asyncio.timeout(PATIENCE):
        while await done.count() != sources:
            await page.reload()


@BOTH
async def test_a_person_makes_a_persona_of_a_pdf_talks_to_it_teaches_it_and_deletes_it(
    page_of: PageOf, site: Site, document: Path, scripts: bool
) -> None:
    page = await page_of(site.account("maker"), java_script_enabled=scripts)

    await make(page, document)
    await expect(page.get_by_label("Your message")).to_be_visible(
        timeout=PATIENCE * 1000
    )  # nobody has pressed anything
    await expect(page.get_by_text("Trained", exact=True)).to_be_visible()
    for question in ANSWERED:
        await ask(page, question.words)
        answer = page.locator(".assistant").last
        assert question.fact in await answer.locator(".said").inner_text()
        sources = answer.locator("details").filter(has_text=f"{TITLE}, page {question.page}")
        for summary in await sources.locator("summary").all():
            await summary.click()
        assert question.fact in "\n".join(await sources.locator("blockquote").all_inner_texts())
    assert await page.locator(".user").count() == 3

    await follow(page, "Knowledge")
    await page.get_by_label("A text").check()
    await page.get_by_label("Text", exact=True).fill(
        "The ship's cat is called Marmalade and sleeps on the chart table."
    )
    await page.get_by_label("Title in citations").fill("The cat")
    await press(page, "Add source")
    await read(page, 2, scripts=scripts)
    await follow(page, "Talk")
    if scripts:
        await expect(page.locator(".said")).to_have_count(6)
        await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator(".said")).to_have_count(0)
    await ask(page, "What is the ship's cat called?")
    assert "Marmalade" in await page.locator(".said").last.inner_text()
    await follow(page, "Knowledge")
    await confirm(page, "Remove", "The cat")
    await read(page, 1, scripts=scripts)

    await follow(page, "Settings")
    await page.get_by_label("New name").fill("Bosun")
    await press(page, "Rename")
    assert await page.get_by_role("heading", level=1).inner_text() == "Bosun"
    await page.get_by_label("Write its name").fill("Boson")
    await press(page, "Delete persona")
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.get_by_label("Write its name").fill("Bosun")
    await press(page, "Delete persona")
    assert path(page) == "/personas"
    await expect(page.get_by_text("No persona yet")).to_be_visible()


async def test_a_conversation_is_there_again_when_the_page_is_loaded_again_until_a_new_one_is_begun(
    page_of: PageOf, site: Site
) -> None:
    page = await page_of(site.account("talker"))
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    await make_from_text(page, "Weaver", "The loom weaves damask at night.")
    await ask(page, "What does the loom weave?")

    await page.reload()
    await expect(page.locator(".said")).to_have_count(2)
    await ask(page, "When?")
    await expect(page.locator(".said")).to_have_count(4)
    await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator(".said")).to_have_count(0)
    await page.reload()
    await expect(page.get_by_label("Your message")).to_be_visible()

    assert await page.locator(".said").count() == 0
    assert complaints == []


async def test_a_message_that_did_not_arrive_stays_where_it_was_written(page_of: PageOf, site: Site) -> None:
    page = await page_of(site.account("offline"))
    await make_from_text(page, "Weaver", "The loom weaves damask at night.")
    await page.context.set_offline(True)

    await page.get_by_label("Your message").fill("What does the loom weave?")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("status").filter(has_text="did not arrive")).to_be_visible()
    await page.context.set_offline(False)
    await page.get_by_label("Your message").press("Enter")

    await expect(page.locator(".assistant")).to_have_count(1)


@BOTH
async def test_a_form_that_is_refused_keeps_what_was_filled_in(page_of: PageOf, site: Site, scripts: bool) -> None:
    page = await page_of(site.account("mistaken"), java_script_enabled=scripts)
    await page.goto("/personas/new")
    await page.get_by_label("Name", exact=True).fill("Ada")
    await page.get_by_label("A link").check()
    await page.get_by_label("Link", exact=True).fill("http://192.168.0.1/secret")

    await press(page, "Create persona")

    await expect(page.get_by_role("alert")).to_be_visible()
    assert await page.get_by_label("Name", exact=True).input_value() == "Ada"
    assert await page.get_by_label("Link", exact=True).input_value() == "http://192.168.0.1/secret"
    assert not await page.get_by_label("Document", exact=True).is_visible()


async def test_the_pages_look_right_when_they_are_empty(
    page_of: PageOf, open_page: OpenPage, site: Site, looks: Looks
) -> None:
    stranger, page = await open_page(), await page_of(site.account("empty"))
    await stranger.goto("/")
    await looks.check(stranger, "home-stranger")
    for address in ("/", "/personas", "/personas?q=zebra", "/personas/new"):
        await page.goto(address)
        await looks.check(page, f"empty{address.replace('/', '-').replace('?', '-')}")


async def test_the_pages_look_right_when_they_are_full(
    page_of: PageOf, site: Site, document: Path, looks: Looks
) -> None:
    page = await page_of(site.account("full"))
    await page.route("**/live", lambda route: route.abort())  # what is looked at stays as it is
    await make(page, document, LONG)
    address = path(page)
    await looks.check(page, "persona-training")
    await page.unroute("**/live")
    await page.reload()
    await expect(page.get_by_label("Your message")).to_be_visible(timeout=PATIENCE * 1000)
    await looks.check(page, "persona-talk-new")
    for words in (ANSWERED[0].words, LONG * 20):
        await ask(page, words)
    await page.locator(".assistant summary").first.click()
    await looks.check(page, "persona-talk")
    await page.goto(f"{address}/knowledge")
    await page.locator(".row summary").click()
    await looks.check(page, "persona-knowledge")
    await page.goto(f"{address}/settings")
    await looks.check(page, "persona-settings")
    for place in ("/", "/personas"):
        await page.goto(place)
        await looks.check(page, f"full{place.replace('/', '-')}")


async def test_the_pages_look_right_when_something_fails(
    page_of: PageOf, site: Site, tmp_path: Path, looks: Looks
) -> None:
    page, broken = await page_of(site.account("failing")), tmp_path / "broken.pdf"
    broken.write_bytes(b"\x00\x01\x02\x03")

    await make(page, broken)
    await expect(page.get_by_role("alert")).to_be_visible()
    await looks.check(page, "persona-unreadable")
    await follow(page, "Talk")
    await looks.check(page, "persona-empty")
    await follow(page, "Settings")
    await page.get_by_label("Write its name").fill("Somebody else")
    await press(page, "Delete persona")
    await looks.check(page, "persona-settings-refused")
    await page.goto("/personas/new")
    await page.get_by_label("Name", exact=True).fill("Ada")
    await page.get_by_label("A link").check()
    await page.get_by_label("Link", exact=True).fill("http://192.168.0.1/secret")
    await press(page, "Create persona")
    await looks.check(page, "persona-new-refused")
    await page.goto("/personas/3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f")
    await looks.check(page, "persona-unknown")


async def test_a_person_goes_from_a_pdf_to_a_report_in_the_browser_alone(
    page_of: PageOf, site: Site, document: Path, tmp_path: Path
) -> None:
    page = await page_of(site.account("newcomer"))
    question = ANSWERED[0]

    await make(page, document)
    await expect(page.get_by_label("Your message")).to_be_visible(timeout=PATIENCE * 1000)
    await ask(page, question.words)
    assert question.fact in await page.locator(".said").last.inner_text()
    await page.goto("/")
    await page.get_by_role("link", name="Ask a panel").click()
    await follow(page, "New panel")
    await page.get_by_label("Name of the panel").fill("The crew")
    group = page.get_by_role("region", name="Group 1")
    await group.get_by_role("textbox").fill("Deck")
    await group.get_by_label(DECKHAND).check()
    await press(page, "Create panel")
    await page.get_by_label("Question", exact=True).fill(question.words)
    await press(page, "Ask")
    await expect(page.get_by_role("heading", level=1)).to_have_text(question.words, timeout=PATIENCE * 1000)
    export = page.get_by_role("button", name="PDF")
    await expect(export).to_be_visible(timeout=PATIENCE * 1000)
    async with page.expect_download() as told:
        await export.click()

    report = tmp_path / "report.pdf"
    await (await told.value).save_as(report)
    assert report.read_bytes().startswith(b"%PDF-")

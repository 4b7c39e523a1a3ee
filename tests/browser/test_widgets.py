"""The widgets in a real browser, in both kinds of hosts, fed by the real server."""

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.async_api import Error, Page, expect

from mcp_server.toolkit.widgets import document, uri_of
from tests.browser.conftest import PageOf, Site
from tests.browser.looks import FAULTS
from tests.browser.widget_attacks import BREAK_OUT, HOSTILE, LEAVE, NAMELESS, STRANGE
from tests.browser.widget_host import ASK, CREATE, PATIENCE, QUESTION, TALK, DevHost, Web, serving_web
from tests.processes import HOST, free_port, serving

pytestmark = pytest.mark.anyio
HOSTS = ("apps", "chatgpt")
ARABIC = "برتا بنز قادت أول سيارة إلى فورتسهايم في أغسطس."
BERTHA = "Bertha Benz drove the first car to Pforzheim in August 1888. She bought fuel at the pharmacy in Wiesloch."


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Trainings and questions take longer than Playwright waits by itself."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=None)


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with serving_web() as web:
        yield web


@pytest.fixture(scope="module")
def site(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server in development, which has the page that hosts widgets."""
    port, folder = free_port(), tmp_path_factory.mktemp("widgets")
    settings = {
        "HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var"), "DEBUG": "true",
        "FETCH_ALLOW_HOSTS": web.address.removeprefix("http://"),
    }  # fmt: skip
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(f"http://{HOST}:{port}", settings, folder)


@pytest.fixture
async def page(page_of: PageOf, site: Site) -> Page:
    return await page_of(site.account("widgets"))


@pytest.fixture(params=HOSTS)
async def host(page: Page, request: pytest.FixtureRequest) -> DevHost:
    host = DevHost(page, request.param)
    await host.open()
    return host


@pytest.fixture
async def apps(page: Page) -> DevHost:
    host = DevHost(page)
    await host.open()
    return host


async def test_a_creation_is_watched_to_its_end_and_then_talked_to(host: DevHost, web: Web) -> None:
    web.released.clear()
    async with host.page.expect_response("**/widget/live", timeout=PATIENCE) as live:
        widget = await host.show(CREATE, name="Amara", mode="link", contextLink=f"{web.address}/held/amara")

    await expect(widget.get_by_role("heading", name="Amara")).to_be_visible()
    await expect(widget.get_by_role("progressbar", name="Training")).to_be_visible()
    await expect(widget.get_by_role("list", name="Sources")).to_contain_text("amara")
    assert (await live.value).status == 200
    web.released.set()
    await expect(widget.get_by_text("Ready to talk")).to_be_visible()
    await expect(widget.get_by_role("progressbar")).to_have_count(0)


async def say(host: DevHost, name: str, message: str) -> None:
    """Write it and send it with the keyboard; the answer has come."""
    turns = host.widget.locator(".turns > li")
    before = await turns.count()
    await host.widget.get_by_label(f"Message to {name}").fill(message)
    await host.widget.get_by_label(f"Message to {name}").press("Enter")
    await expect(turns).to_have_count(before + 2)
    await expect(turns.last).to_contain_text(name)


async def test_somebody_talks_in_three_turns_and_opens_a_source(host: DevHost, web: Web) -> None:
    address = f"{web.address}/amara"
    spark = await host.call(CREATE, name="Amara", mode="link", contextLink=address)
    await host.trained([spark["sparkId"]])

    widget = await host.show(TALK, sparkId=spark["sparkId"], message="What about the lock?")
    turns = widget.locator(".turns > li")
    await expect(turns).to_have_count(2)
    await say(host, "Amara", "What is fair about the price?")
    await say(host, "Amara", "Would you recommend the service?")

    assert await turns.count() == 6
    said = ("What about the lock?", "lock", "fair about", "thirty euros", "recommend", "8 out of 10")
    for turn, words in enumerate(said):
        await expect(turns.nth(turn)).to_contain_text(words)
    sent = [line for line in await host.page.locator("#log li").all_inner_texts() if TALK in line]
    assert len(sent) == 2
    assert "conversationHistory" in sent[-1]
    source = turns.nth(1).get_by_role("group").first
    await source.locator("summary").click()
    await expect(source).to_contain_text("Source 1")
    await source.get_by_role("button", name="Open the source").click()
    await expect(host.page.locator("#opened")).to_have_text(address)


async def test_a_message_that_got_lost_is_sent_again(host: DevHost) -> None:
    spark_id = await host.persona("Bertha", BERTHA)
    widget = await host.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)

    await host.page.get_by_label("Calls from the widget get lost").press("Space")
    await widget.get_by_label("Message to Bertha").fill("Where was fuel bought?")
    await widget.get_by_role("button", name="Send").click()
    await expect(widget.get_by_role("alert")).to_contain_text("The call did not go through")
    await expect(widget.get_by_label("Message to Bertha")).to_have_value("Where was fuel bought?")
    await expect(widget.locator(".turns > li")).to_have_count(2)
    await host.page.get_by_label("Calls from the widget get lost").press("Space")
    await widget.get_by_role("button", name="Try again").click()

    await expect(widget.locator(".turns > li")).to_have_count(4)
    await expect(widget.locator(".turns > li").last).to_contain_text("Wiesloch")
    await expect(widget.get_by_role("alert")).to_have_count(0)


async def test_the_result_may_come_before_the_arguments(apps: DevHost) -> None:
    spark_id = await apps.persona("Bertha", BERTHA)
    await apps.page.get_by_label("Order").select_option("result first")

    widget = await apps.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")

    await expect(widget.locator(".turns > li")).to_have_count(2)
    await expect(widget.locator(".turns > li").first).to_contain_text("Who drove to Pforzheim?")


async def test_a_refused_call_says_what_to_do(host: DevHost) -> None:
    widget = await host.show(TALK, sparkName="Nobody", message="Hello")

    await expect(widget.get_by_role("alert")).to_contain_text("Nobody")


async def test_a_panel_is_asked_filtered_compared_and_exported(host: DevHost) -> None:
    panel_id = await host.panel()
    held = await host.hold_answers(12, 30)
    widget = await host.show(ASK, panelId=panel_id, question=QUESTION)
    await expect(widget.get_by_role("progressbar", name="Asking")).to_be_visible()
    await expect(widget.get_by_role("status").filter(has_text="12 of 30 answered")).to_be_visible()
    held.set()

    await expect(widget.get_by_role("heading", name="Everyone 30 of 30 answered")).to_be_visible()
    await expect(widget.get_by_role("progressbar")).to_have_count(0)
    await expect(widget.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(widget.get_by_role("heading", name="Keep in mind")).to_be_visible()
    rows = widget.get_by_role("table", name="Distribution").first.get_by_role("row")
    assert len([row for row in await rows.all_inner_texts() if "%" in row]) == 3

    await widget.get_by_label("Group").select_option("Students")
    await expect(widget.get_by_role("heading", name="Students 15 of 15 answered")).to_be_visible()
    await expect(widget.get_by_role("heading", name="Everyone")).to_have_count(0)

    await widget.get_by_label("Compare by an attribute").fill("role")
    await widget.get_by_role("button", name="Compare").click()
    for value in ("Nurse", "Teacher"):
        await expect(widget.get_by_role("heading", name=value)).to_be_visible()

    await widget.get_by_role("button", name="Export CSV").click()
    await expect(widget.get_by_role("status").filter(has_text="The file is ready")).to_be_visible()
    opened = await host.page.locator("#opened").inner_text()
    file = await host.page.request.get(opened)
    assert (file.status, "csv" in file.headers["content-type"]) == (200, True)
    assert QUESTION in await file.text()


@pytest.mark.parametrize("name", ["spark", "panel"])
async def test_a_widget_that_is_opened_alone_says_what_it_is(page: Page, site: Site, name: str) -> None:
    await page.goto(f"/dev/widget/frame?{urlencode({'uri': uri_of(name, document(name))})}")

    await expect(page.get_by_role("main")).to_have_text(re.compile("Open it from a chat"))


async def test_the_theme_changes_with_that_of_the_host(host: DevHost) -> None:
    spark_id = await host.persona("Bertha", BERTHA)
    widget = await host.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)

    seen = []
    for theme in ("dark", "light"):
        await host.theme(theme)
        await expect(widget.locator("html")).to_have_attribute("data-theme", theme)
        seen.append(await host.frame.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert await host.frame.evaluate(FAULTS) == []

    assert seen == ["rgb(29, 32, 39)", "rgb(255, 255, 255)"]


async def test_a_widget_that_is_torn_down_asks_for_nothing_more(apps: DevHost, web: Web) -> None:
    web.released.clear()
    await apps.page.route("**/widget/live", lambda route: route.abort())
    widget = await apps.show(CREATE, name="Bruno", mode="link", contextLink=f"{web.address}/held/bruno")
    await expect(widget.get_by_role("progressbar", name="Training")).to_be_visible()
    await expect(apps.sent("check_ai_persona_training_progress")).not_to_have_count(0)  # without live events

    await apps.page.get_by_role("button", name="Tear down").click()
    await expect(apps.page.locator("#log li").filter(has_text='"id":1000,"result":{}')).to_have_count(1)
    before = await apps.sent("tools/call").count()
    await apps.page.wait_for_timeout(4_000)  # twice the time between two looks

    assert await apps.sent("tools/call").count() == before
    web.released.set()


async def test_a_widget_reaches_nothing_but_its_gateway(host: DevHost, web: Web) -> None:
    spark_id = await host.persona("Bertha", BERTHA)
    widget = await host.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)
    asked = list(web.asked)

    tried = await host.frame.evaluate(BREAK_OUT, f"{web.address}/amara")
    assert set(tried.values()) == {"refused"}, tried
    assert web.asked == asked
    assert urlsplit(host.page.url).path == "/dev/widget"
    assert len(host.page.context.pages) == 1


@pytest.mark.parametrize("way", LEAVE, ids=["form", "location"])
async def test_a_widget_cannot_leave_for_elsewhere(apps: DevHost, web: Web, way: str) -> None:
    widget = await apps.show(TALK, sparkName="Nobody", message="Hello")
    await expect(widget.get_by_role("alert")).to_be_visible()
    asked = list(web.asked)

    with suppress(Error):  # the widget may be gone
        await apps.frame.evaluate(way, f"{web.address}/amara")
    await apps.page.wait_for_timeout(1_000)

    assert web.asked == asked
    assert urlsplit(apps.page.url).path == "/dev/widget"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_what_others_wrote_changes_nothing_but_text(apps: DevHost, text: str) -> None:
    name = f"Eve {text[:60]}" if text.isprintable() else "Eve"  # a name is one plain line
    spark_id = await apps.persona(name, f"Eve says that the zebra is {text[:4_000]} and nothing else.")

    widget = await apps.show(TALK, sparkId=spark_id, message=f"What of the zebra, {text[:4_000]}?")

    await expect(widget.locator(".turns > li")).to_have_count(2)
    shown = await widget.locator("main").inner_text()
    plain = " ".join(text[:60].split())
    assert plain in " ".join(shown.split())
    assert await apps.frame.evaluate(STRANGE) == []
    assert await apps.page.evaluate("[document.title, window.hacked]") == ["Widgets · Minds", None]


async def test_the_answers_of_a_panel_change_nothing_but_text(apps: DevHost) -> None:
    rows = [{"name": f"Eve {text[:40]} {at}", "context": f"The zebra is {text[:3_000]} for me.", "role": text[:28]}
            for at, text in enumerate(HOSTILE) if text.isprintable()]  # fmt: skip
    made = await apps.call("create_personas", rows=rows, group=f"Zebras {HOSTILE[0]}")
    assert made["groupId"], made
    await apps.trained([row["sparkId"] for row in made["created"]])
    panel = await apps.call("create_panel", name=f"Panel {HOSTILE[1]}", groupIds=[made["groupId"]])

    widget = await apps.show(ASK, panelId=panel["panelId"], question=f"How is the zebra {HOSTILE[0]}?")

    await expect(widget.get_by_role("heading", name="Everyone")).to_be_visible()
    await expect(widget.get_by_role("heading", name=f"How is the zebra {HOSTILE[0]}?")).to_be_visible()
    await widget.get_by_label("Compare by an attribute").fill("role")
    await widget.get_by_role("button", name="Compare").click()
    await expect(widget.get_by_label("Group").get_by_role("option")).not_to_have_count(2)
    assert await apps.frame.evaluate(STRANGE) == []


async def test_a_widget_is_used_by_keyboard_alone(apps: DevHost) -> None:
    spark_id = await apps.persona("Bertha", BERTHA)
    widget = await apps.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)
    await apps.page.get_by_role("button", name="Tear down").focus()

    for stop in (widget.locator("summary").first, widget.get_by_role("textbox")):
        await apps.page.keyboard.press("Tab")
        await expect(stop).to_be_focused()
        assert await apps.frame.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    await apps.page.keyboard.type("Where was fuel bought?")
    await apps.page.keyboard.press("Enter")
    await expect(widget.locator(".turns > li")).to_have_count(4)

    await expect(widget.get_by_role("textbox")).to_be_focused()
    await expect(widget.get_by_role("textbox")).to_have_value("")
    await apps.page.keyboard.press("Shift+Tab")
    await apps.page.keyboard.press("Enter")
    await expect(widget.locator("details").last).to_have_attribute("open", "")


@pytest.mark.parametrize("tool", [TALK, ASK])
async def test_a_widget_fits_a_phone_and_names_its_parts(apps: DevHost, tool: str) -> None:
    await apps.page.emulate_media(reduced_motion="reduce")
    if tool == TALK:
        context = f"{ARABIC} Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz{'x' * 200}"
        spark_id = await apps.persona("برتا بنز", context)
        widget = await apps.show(TALK, sparkId=spark_id, message="من قاد السيارة؟")
        await expect(widget.locator(".turns > li")).to_have_count(2)
        assert await widget.locator(".said").first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    else:
        widget = await apps.show(ASK, panelId=await apps.panel(2), question=QUESTION)
        await expect(widget.get_by_role("heading", name="Everyone")).to_be_visible()

    await apps.narrow(390)
    assert await apps.frame.evaluate("document.documentElement.scrollWidth") <= 390
    assert await apps.frame.evaluate(FAULTS) == []
    assert await apps.frame.evaluate(NAMELESS) == []
    assert await apps.frame.evaluate("getComputedStyle(document.querySelector('main *')).transitionDuration") == "0s"

"""The widgets in a real browser, played to the end in both kinds of hosts, fed by the real server."""

import re
from urllib.parse import urlencode

import pytest
from playwright.async_api import Page, expect

from mcp_server.toolkit.widgets import document, uri_of
from tests.browser.conftest import Site
from tests.browser.looks import Looks
from tests.browser.widgets.host import ASK, BERTHA, CREATE, PATIENCE, QUESTION, TALK, DevHost, Web

pytestmark = pytest.mark.anyio


@pytest.mark.requirement("seed:gateway:widget-creation")
async def test_a_creation_is_watched_to_its_end(host: DevHost, web: Web, looks: Looks) -> None:
    web.released.clear()
    async with host.page.expect_response("**/widget/live", timeout=PATIENCE) as live:
        widget = await host.show(CREATE, name="Amara", mode="link", contextLink=f"{web.address}/held/amara")

    await expect(widget.get_by_role("heading", name="Amara")).to_be_visible()
    await expect(widget.get_by_role("progressbar", name="Training")).to_be_visible()
    await expect(widget.get_by_role("list", name="Sources")).to_contain_text("amara")
    assert (await live.value).status == 200
    await host.check(looks, "training")
    web.released.set()
    await expect(widget.get_by_text("Ready to talk")).to_be_visible()
    await expect(widget.get_by_role("progressbar")).to_have_count(0)
    await host.check(looks, "trained")


async def say(host: DevHost, name: str, message: str) -> None:
    """Write it and send it with the keyboard; the answer has come."""
    turns = host.widget.locator(".turns > li")
    before = await turns.count()
    await host.widget.get_by_label(f"Message to {name}").fill(message)
    await host.widget.get_by_label(f"Message to {name}").press("Enter")
    await expect(turns).to_have_count(before + 2)
    await expect(turns.last).to_contain_text(name)


@pytest.mark.requirement("seed:gateway:widget-chat")
async def test_somebody_talks_in_three_turns_and_opens_a_source(host: DevHost, web: Web, looks: Looks) -> None:
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
    await expect(widget.get_by_role("status").filter(has_text="8 out of 10")).to_have_count(1)  # is read aloud
    sent = [line for line in await host.page.locator("#log li").all_inner_texts() if TALK in line]
    assert len(sent) == 2
    assert "conversationHistory" in sent[-1]
    source = turns.nth(1).get_by_role("group").first
    await source.locator("summary").click()
    await expect(source).to_contain_text("Source 1")
    await source.get_by_role("button", name="Open the source").click()
    await expect(host.page.locator("#opened")).to_have_text(address)
    await host.check(looks, "chat")
    await say(host, "Amara", "What is good enough about the app?")
    await expect(source).to_have_attribute("open", "")


async def test_a_message_that_got_lost_is_sent_again(host: DevHost, looks: Looks) -> None:
    spark_id = await host.persona("Bertha", BERTHA)
    widget = await host.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)

    await host.page.get_by_label("Calls from the widget get lost").press("Space")
    await widget.get_by_label("Message to Bertha").fill("Where was fuel bought?")
    await widget.get_by_role("button", name="Send").click()
    await expect(widget.get_by_role("alert")).to_contain_text("The call did not go through")
    await expect(widget.get_by_label("Message to Bertha")).to_have_value("Where was fuel bought?")
    await expect(widget.locator(".turns > li")).to_have_count(2)
    await host.check(looks, "chat-lost")
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


async def test_a_refused_call_says_what_to_do(host: DevHost, looks: Looks) -> None:
    widget = await host.show(TALK, sparkName="Nobody", message="Hello")

    await expect(widget.get_by_role("alert")).to_contain_text("Nobody")
    await host.check(looks, "refused")


async def test_a_panel_is_asked_filtered_compared_and_exported(host: DevHost, looks: Looks) -> None:
    panel_id = await host.panel(6)
    held = await host.hold_answers(5, 12)
    widget = await host.show(ASK, panelId=panel_id, question=QUESTION)
    await expect(widget.get_by_role("progressbar", name="Asking")).to_be_visible()
    await expect(widget.get_by_role("status").filter(has_text="5 of 12 answered")).to_be_visible()
    await widget.get_by_label("Group").focus()
    reads = await host.sent("get_panel_results").count()
    await expect(host.sent("get_panel_results")).to_have_count(reads + 2)  # the widget was drawn anew
    await expect(widget.get_by_label("Group")).to_be_focused()
    await host.check(looks, "panel-asking")
    held.set()

    await expect(widget.get_by_role("heading", name="Everyone 12 of 12 answered")).to_be_visible()
    await expect(widget.get_by_role("progressbar")).to_have_count(0)
    await expect(widget.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(widget.get_by_role("heading", name="Keep in mind")).to_be_visible()
    rows = widget.get_by_role("table", name="Distribution").first.get_by_role("row")
    assert len([row for row in await rows.all_inner_texts() if "%" in row]) == 3

    await host.check(looks, "panel")
    await widget.get_by_label("Group").select_option("Students")
    await expect(widget.get_by_role("heading", name="Students 6 of 6 answered")).to_be_visible()
    await expect(widget.get_by_role("heading", name="Everyone")).to_have_count(0)

    await expect(widget.get_by_label("Compare by").get_by_role("option")).to_have_text(["Group", "role"])
    await widget.get_by_label("Compare by").select_option("role")
    for value in ("Nurse", "Teacher"):
        await expect(widget.get_by_role("heading", name=value)).to_be_visible()
    await host.check(looks, "panel-by")

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

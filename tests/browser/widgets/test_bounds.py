"""What a widget can do and shows, for who attacks it, and for who sees little, has no mouse or holds a phone."""

from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Error, expect

from tests.browser.looks import wrong
from tests.browser.widgets.attacks import BREAK_OUT, HOSTILE, LEAVE, NAMELESS, STRANGE
from tests.browser.widgets.host import ASK, BERTHA, QUESTION, TALK, DevHost, Web

pytestmark = pytest.mark.anyio
ARABIC = "برتا بنز قادت أول سيارة إلى فورتسهايم في أغسطس."


async def test_the_theme_changes_with_that_of_the_host(host: DevHost) -> None:
    spark_id = await host.persona("Bertha", BERTHA)
    widget = await host.show(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(widget.locator(".turns > li")).to_have_count(2)

    seen = []
    for theme in ("dark", "light"):
        await host.theme(theme)
        await expect(widget.locator("html")).to_have_attribute("data-theme", theme)
        seen.append(await host.frame.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert await wrong(host.frame) == []

    assert seen == ["rgb(29, 32, 39)", "rgb(255, 255, 255)"]


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
    await widget.get_by_label("Compare by").select_option("role")
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
    assert await wrong(apps.frame) == []
    assert await apps.frame.evaluate(NAMELESS) == []
    assert await apps.frame.evaluate("getComputedStyle(document.querySelector('main *')).transitionDuration") == "0s"

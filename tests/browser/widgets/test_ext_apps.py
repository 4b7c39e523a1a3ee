"""The widgets in a host that is made of the kit of MCP Apps, over MCP; nothing of it is ours but the page around."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FrameLocator, Page, Route, expect

from tests.browser.conftest import OpenPage, Site
from tests.browser.widgets.host import ASK, BERTHA, PATIENCE, TALK, DevHost
from tests.edge import LEGACY, request
from tests.journeys.gateway import new_user
from tests.node import CLIENTS

pytestmark = pytest.mark.anyio
HOST_PAGE = Path(__file__).parent / "ext_apps_host.html"
FOLDER = "/ext-apps-host"


class KitHost:
    """The page of the kit, at an address of the gateway: its files come from `tests/clients`."""

    def __init__(self, page: Page, url: str, key: str) -> None:
        self.page, self._url, self._key = page, url, key
        self.widget: FrameLocator = page.frame_locator("iframe")

    async def open(self) -> None:
        await self.page.route(f"**{FOLDER}/**", _file)
        await self.page.goto(f"{FOLDER}/")
        await self.page.wait_for_function("window.loaded")

    async def render(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call the tool and show its widget; who both of them say that they are."""
        asked = {"url": f"{self._url}/mcp", "key": self._key, "tool": tool, "args": arguments}
        told: dict[str, Any] = await self.page.evaluate("asked => render(asked)", asked)
        return told

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that no widget shows."""
        headers, body = request("tools/call", {"name": tool, "arguments": arguments}, era=LEGACY, key=self._key)
        response = await self.page.request.post("/mcp", headers=headers, data=body, timeout=PATIENCE)
        content: dict[str, Any] = (await response.json())["result"]["structuredContent"]
        return content


async def _file(route: Route) -> None:
    path = route.request.url.partition(f"{FOLDER}/")[2]
    await route.fulfill(path=CLIENTS / "node_modules" / path if path else HOST_PAGE)


@pytest.fixture
async def kit(open_page: OpenPage, site: Site) -> KitHost:
    key = new_user("kit@example.com", site.settings)
    kit = KitHost(await open_page(), site.url, key)
    await kit.open()
    return kit


async def test_the_kit_renders_both_widgets_and_passes_their_calls_on(kit: KitHost) -> None:
    dev = DevHost(kit.page)
    dev.call = kit.call  # type: ignore[method-assign]  # makes the same personas, by MCP instead of the page
    spark_id, panel_id = await dev.persona("Bertha", BERTHA), await dev.panel(2)

    told = await kit.render(TALK, sparkId=spark_id, message="Who drove to Pforzheim?")
    await expect(kit.widget.locator(".turns > li")).to_have_count(2)
    await expect(kit.widget.locator("html")).to_have_attribute("data-theme", "dark")
    await kit.widget.get_by_label("Message to Bertha").fill("Where was fuel bought?")
    await kit.widget.get_by_role("button", name="Send").click()
    await expect(kit.widget.locator(".turns > li").last).to_contain_text("Wiesloch")
    remembered = [what for kind, what in await kit.page.evaluate("told") if kind == "context"]
    assert "Wiesloch" in remembered[0]
    assert (told["widget"]["name"], told["session"]) == ("minds", "minds")
    await kit.page.evaluate("bridge.setHostContext({ theme: 'light', locale: 'de-DE', displayMode: 'inline' })")
    await expect(kit.widget.locator("html")).to_have_attribute("data-theme", "light")
    assert await kit.page.evaluate("bridge.teardownResource({})") == {}

    await kit.render(ASK, panelId=panel_id, question="On a scale of 1 to 10, how good is the bicycle hire?")
    await expect(kit.widget.get_by_role("heading", name="Everyone")).to_be_visible()
    await kit.widget.get_by_role("button", name="Export JSON").click()
    await expect(kit.widget.get_by_role("status").filter(has_text="The file is ready")).to_be_visible()
    [link] = [what for kind, what in await kit.page.evaluate("told") if kind == "open"]
    assert (await kit.page.request.get(link)).status == 200

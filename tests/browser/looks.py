"""How a page looks and behaves: on a phone and a desk, by day and by night, by keyboard alone, and what axe finds.

Axe looks twice, on a phone by day and on a desk by night: what it judges hangs on the colours or on the layout.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Frame, Locator, Page

from tests import node

FAULTS = (Path(__file__).parent / "faults.js").read_text("utf-8")
AXE = node.CLIENTS / "node_modules" / "axe-core" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
IS_THERE = "() => window.axe !== undefined"
VIOLATIONS = """async rules => {
    const { violations } = await axe.run({ runOnly: rules, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
        `axe ${id}: ${html.slice(0, 200)} ${failureSummary.replaceAll(/\\s+/g, ' ')}`));
}"""
SMALLEST = (320, 640)
"""WCAG 1.4.10 measures at 320 pixels, which is also a window of 1280 at 400 %."""
MOST_STOPS = 60

# Tab visits one button of a group of radio buttons, the chosen one.
STOPS = """[...document.querySelectorAll(
    'a[href], button:not([aria-hidden]), input:not([type=hidden], [type=radio]:not(:checked)), select, textarea, '
    + 'summary, [tabindex="0"]'
)].filter(each => each.checkVisibility() && !each.disabled)"""
NAMES = f"() => {STOPS}.map((each, place) => `${{place}}: ${{each.outerHTML}}`)"
"""The place tells apart what looks the same."""
PLACE = """one => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return { x: x + scrollX, y: y + scrollY, width, height };
}"""
"""Of an element on the whole page."""
START = "() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); }"
FOCUSED = f"""() => {{
    const now = document.activeElement, style = getComputedStyle(now);
    if (now === document.body || now === document.documentElement) return null;
    const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    return [`${{{STOPS}.indexOf(now)}}: ${{now.outerHTML}}`, isSeen];
}}"""


@dataclass(frozen=True, slots=True)
class Look:
    """A window and the time of day."""

    name: str
    size: tuple[int, int]
    scheme: Literal["light", "dark"]
    by_axe: bool = False


LOOKS = (
    Look("phone-light", (390, 844), "light", by_axe=True),
    Look("phone-dark", (390, 844), "dark"),
    Look("desktop-light", (1280, 800), "light"),
    Look("desktop-dark", (1280, 800), "dark", by_axe=True),
)


class Looks:
    """Judges pages, and leaves a picture of each look in `folder`, if any."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    async def check(self, page: Page, name: str) -> None:
        """Fail with everything that is wrong with the page as it is now. What was typed in stays."""
        faults = [f"{look.name}: {fault}" for look in LOOKS for fault in await self._faults(page, name, look)]
        await _resize(page, SMALLEST)
        faults += [f"{SMALLEST[0]} px: {fault}" for fault in await page.evaluate(FAULTS)]
        faults += await _keyboard_faults(page)
        await _resize(page, LOOKS[-1].size)
        await page.emulate_media(color_scheme="light")
        assert not faults, "\n".join(faults)

    async def _faults(self, page: Page, name: str, look: Look) -> list[str]:
        await page.emulate_media(color_scheme=look.scheme)
        await _resize(page, look.size)
        await self.keep(page, name, look)
        return await faults_of(page, look)

    async def keep(self, seen: Page | Locator, name: str, look: Look) -> None:
        """Leave a picture, if they are wanted."""
        if self._folder is not None:
            path = self._folder / f"{name}-{look.name}.png"
            if isinstance(seen, Page):
                await seen.screenshot(path=path, full_page=True)
            else:  # a clip of the page: it may be larger than the window
                await seen.page.screenshot(path=path, full_page=True, clip=await seen.evaluate(PLACE))


async def faults_of(page: Page | Frame, look: Look) -> list[str]:
    """What is wrong in one look."""
    if look.by_axe:
        return await wrong(page)
    faults: list[str] = await page.evaluate(FAULTS)
    return faults


async def wrong(page: Page | Frame) -> list[str]:
    """What our own rules and those of axe say. Both come by the browser's protocol, which no policy of a page stops."""
    if not await page.evaluate(IS_THERE):
        await page.evaluate(AXE.read_text("utf-8"))
    faults: list[str] = await page.evaluate(FAULTS)
    faults += await page.evaluate(VIOLATIONS, RULES)
    return faults


async def _keyboard_faults(page: Page) -> list[str]:
    """Tab must visit everything in the order of the page, and show where it is (2.1.1, 2.4.3, 2.4.7)."""
    expected: list[str] = await page.evaluate(NAMES)
    visited: list[str] = []
    unseen: list[str] = []
    await page.evaluate(START)
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        focused = await page.evaluate(FOCUSED)
        if focused is None or focused[0] in visited:
            break
        visited.append(focused[0])
        unseen += [] if focused[1] else [f"focus is not seen: {focused[0]}"]
    return unseen if visited == expected else [*unseen, f"focus goes {visited} and not {expected}"]


async def _resize(page: Page, size: tuple[int, int]) -> None:
    width, height = size
    await page.set_viewport_size({"width": width, "height": height})

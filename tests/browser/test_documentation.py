"""The documentation pages in a real browser: searched while one types, and without scripts."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.looks import Looks

pytestmark = pytest.mark.anyio


@pytest.fixture
async def blank(open_page: OpenPage) -> Page:
    return await open_page()


async def test_a_page_is_found_while_one_types_and_opens_at_its_section(blank: Page, looks: Looks) -> None:
    await blank.goto("/docs")
    await looks.check(blank, "documentation")

    await blank.get_by_label("Search the documentation").press_sequentially("rotate the secret")
    first = blank.locator("#found a").first
    await expect(first).to_contain_text("Rotating the secret")
    await looks.check(blank, "documentation-found")

    await first.click()
    await expect(blank.locator("article h1")).to_have_text("Rotating the secret")
    await looks.check(blank, "documentation-page")


async def test_without_scripts_the_form_does_the_same(open_page: OpenPage) -> None:
    page = await open_page(java_script_enabled=False)
    await page.goto("/docs")

    await page.get_by_label("Search the documentation").fill("rotate the secret")
    await page.get_by_role("button", name="Search").click()

    await expect(page.locator("#found a").first).to_contain_text("Rotating the secret")

"""The judge of pages is judged: what only axe knows fails a page, whatever its policy allows."""

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.looks import Looks

pytestmark = pytest.mark.anyio


async def test_a_fault_that_only_axe_knows_fails_the_page(open_page: OpenPage, looks: Looks) -> None:
    page = await open_page()
    await page.goto("/oauth/login")
    await page.evaluate("document.querySelector('h1').setAttribute('aria-levl', '1')")

    with pytest.raises(AssertionError, match="axe aria-valid-attr"):
        await looks.check(page, "faulty")

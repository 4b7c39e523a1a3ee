"""The documentation pages in a real browser: looked at, searched while one types, and without scripts."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.looks import Looks
from tests.browser.pages import follow, path
from tests.mcp_server.toolsets.docs.folder import written
from tests.processes import HOST, free_port, serving

pytestmark = pytest.mark.anyio
GUIDE = """# A guide to this & that

> Before you begin: read *this*, ~~not that~~, and [the start](index.md).

## Settings

| Setting | Default | What it does |
|:--|--:|---|
| `A_VERY_LONG_NAME_OF_A_SETTING_THAT_DOES_NOT_BREAK` | 10 | Something that takes a whole sentence to explain. |

### A block of code

```sh
python -m app docs index build --force --json | less --quit-if-one-screen --no-init --chop-long-lines --RAW-CONTROL
```

1. First
   - Nested, with <b onclick="alert(1)">markup</b> and an image: ![a dot](https://elsewhere.example/dot.png)
2. Second: [dead](javascript:alert(1)) <script>document.title = 'hacked'</script>

## txt.\u202edesrever si siht

The zebra stands here.
"""


@pytest.fixture(scope="module")
def docs_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port, folder = free_port(), tmp_path_factory.mktemp("documented")
    root = written(folder / "docs", {"index.md": "# Welcome\n\nStart here.\n", "guide.md": GUIDE})
    settings = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var"), "DOCS_ROOT": str(root)}
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield f"http://{HOST}:{port}"


async def opened(browser: Browser, site: str, *, scripts: bool = True) -> Page:
    context = await browser.new_context(base_url=site, java_script_enabled=scripts)
    return await context.new_page()


async def test_everybody_can_use_the_pages(browser: Browser, docs_site: str, looks: Looks) -> None:
    page = await opened(browser, docs_site)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))

    for name in ("docs", "docs/guide", "docs/search?q=zebra", "docs/guidde"):
        await page.goto(f"/{name}")
        await looks.check(page, name.partition("?")[0].replace("/", "-"))

    assert [one for one in complaints if "404" not in one] == []


async def test_results_come_while_one_types_and_are_reached_by_the_arrows(browser: Browser, docs_site: str) -> None:
    page = await opened(browser, docs_site)
    await page.goto("/docs")

    await page.get_by_label("Search the documentation").press_sequentially("zebra")
    await expect(page.get_by_role("status")).to_have_text("1 result")
    await expect(page.locator("#pages")).to_be_hidden()
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("search ol a")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_label("Search the documentation")).to_be_focused()
    await page.get_by_label("Search the documentation").fill("")
    await expect(page.locator("#pages")).to_be_visible()
    await page.get_by_label("Search the documentation").fill("zebra")
    await expect(page.locator("search ol a")).to_have_count(1)
    await page.keyboard.press("ArrowDown")
    async with page.expect_navigation():
        await page.keyboard.press("Enter")

    assert path(page) == "/docs/guide"
    assert await page.locator(":target").count() == 1
    assert await page.title() == "A guide to this & that · Minds"


async def test_everything_works_without_scripts(browser: Browser, docs_site: str) -> None:
    page = await opened(browser, docs_site, scripts=False)
    await page.goto("/docs")
    await follow(page, "A guide to this & that")
    await follow(page, "the start")
    assert path(page) == "/docs/index"

    await page.get_by_label("Search the documentation").fill("zebra")
    await page.keyboard.press("Enter")

    await expect(page.locator("search ol a")).to_have_count(1)
    assert path(page) == "/docs/search"

"""What an app asks for is answered without scrolling, on a desk and on a phone; a verified app has its own logo."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest
from playwright.async_api import Browser, Page

from tests.browser import app as apps
from tests.browser.conftest import Site
from tests.browser.looks import Looks
from tests.browser.pages import choices, press, sign_in
from tests.processes import HOST, free_port, serving

pytestmark = pytest.mark.anyio
EVERYTHING = "sparks:read sparks:write sparks:chat flows:read flows:write docs:read"
BOTH = ((1280, 800), (390, 844))
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM44aCAFTEMLQkAFHtKAfiaQFcAAAAASUVORK5CYII="
)
WHERE = """() => {
    const boxOf = each => each.getBoundingClientRect();
    const allow = boxOf([...document.querySelectorAll('button')].find(each => each.textContent === 'Allow'));
    const choices = [...document.querySelectorAll('label.choice')].map(boxOf);
    const isSeen = allow.top >= 0 && allow.bottom <= innerHeight;
    return [isSeen, choices.length, choices.every(each => each.bottom <= allow.top)];
}"""
"""Whether Allow is seen, how many boxes there are, and whether all of them stand above it."""


@pytest.fixture(scope="module")
def host() -> str:
    """Where a verified app describes itself."""
    return f"{HOST}:{free_port()}"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory, host: str) -> Iterator[Site]:
    """A server on which every scope can be asked for, and that reads the description at `host`."""
    port, folder = free_port(), tmp_path_factory.mktemp("wide")
    settings = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(folder / "var")}
    settings |= {"DOCS_PUBLIC": "false", "FETCH_ALLOW_HOSTS": host}
    with serving(("-m", "app", "serve"), port, folder, settings):
        yield Site(f"http://{HOST}:{port}", settings, folder)


@pytest.fixture
async def page(browser: Browser, wide: Site) -> AsyncIterator[Page]:
    async with await browser.new_context(base_url=wide.url) as context:
        yield await context.new_page()


@pytest.fixture
async def verified(host: str) -> AsyncIterator[str]:
    """The address at which an app describes itself, with a logo beside."""
    address = f"http://{host}/client.json"
    words = {
        "client_id": address,
        "client_name": "Notebook",
        "redirect_uris": ["https://app.example/cb"],
        "logo_uri": f"http://{host}/logo.png",
    }

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await reader.readuntil(b"\r\n\r\n")
            kind, body = ("image/png", PNG) if b"logo" in asked else ("application/json", json.dumps(words).encode())
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
            writer.close()

    async with await asyncio.start_server(take, HOST, int(host.rpartition(":")[2])):
        yield address


async def test_everything_is_asked_and_answered_without_scrolling(page: Page, wide: Site, looks: Looks) -> None:
    async with apps.listening(wide.url) as app:
        await app.register("Notebook of Ada")
        question, account = app.ask(EVERYTHING), wide.account("ada")
        await page.goto(question.address)
        assert "calls itself “Notebook of Ada” asks" in await page.locator("main").inner_text()
        await looks.check(page, "login-app")
        await sign_in(page, account)

        for width, height in BOTH:
            await page.set_viewport_size({"width": width, "height": height})
            assert await page.evaluate(WHERE) == [True, 6, True]
        await looks.check(page, "consent-everything")

        started = await app.start_device(EVERYTHING)
        await page.goto(started["verification_uri_complete"])
        for width, height in BOTH:
            await page.set_viewport_size({"width": width, "height": height})
            assert (await page.evaluate(WHERE))[:2] == [True, 6]


async def test_what_is_allowed_already_is_folded_away_and_kept(page: Page, wide: Site, looks: Looks) -> None:
    async with apps.listening(wide.url) as app:
        await app.register("Notebook of Bob")
        question = app.ask("sparks:read sparks:chat")
        await page.goto(question.address)
        await sign_in(page, wide.account("bob"))
        await press(page, "Allow")
        await app.redeem(question)

        more = app.ask(EVERYTHING)
        await page.goto(more.address)
        talking = page.get_by_text("Talk to your AI personas")
        assert not await talking.is_visible()
        assert len(await choices(page)) == 4
        await looks.check(page, "consent-more")
        await page.get_by_text("What it is allowed already").click()
        assert await talking.is_visible()
        await looks.check(page, "consent-more-open")
        await press(page, "Allow")

        assert set((await app.redeem(more))["scope"].split(" ")) == set(EVERYTHING.split(" "))


async def test_a_verified_app_shows_its_logo_before_and_after_the_sign_in(
    page: Page, wide: Site, verified: str, looks: Looks
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    async with apps.listening(wide.url) as app:
        app.client_id, app.redirect_uri = verified, "https://app.example/cb"
        await page.goto(app.ask(EVERYTHING).address)
    seen = [await _logo(page)]
    await sign_in(page, wide.account("eve"))
    seen += [await _logo(page)]

    assert seen == [8, 8], "the picture was loaded, and is 8 pixels wide"
    assert [address for address in asked if not address.startswith(f"{wide.url}/")] == []
    await looks.check(page, "consent-verified")


async def _logo(page: Page) -> int:
    width: int = await page.locator("img.tile").evaluate("image => image.decode().then(() => image.naturalWidth)")
    return width
